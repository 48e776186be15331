//! Git's own answers -> facts for the evidence.

/// One changed path of `git status --porcelain=v2 -z`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The two state letters, `??` for untracked, `UU`-like for conflicts.
    pub code: String,
    pub path: String,
    /// The old name of a renamed path.
    pub old_path: Option<String>,
}

/// What `git status` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    pub branch: String,
    pub changes: Vec<Change>,
    pub conflicted: usize,
}

/// Parses `git status --porcelain=v2 -z --branch`. Records of another form are left out.
pub fn parse_status(output: &str) -> Status {
    let mut status = Status::default();
    let mut records = output.split('\0');
    while let Some(record) = records.next() {
        let fields = |n| record.splitn(n, ' ').collect::<Vec<_>>();
        let (code, path, old_path) = match record.get(..2) {
            Some("1 ") => (fields(9)[1].to_owned(), fields(9).get(8).copied(), None),
            Some("2 ") => (fields(10)[1].to_owned(), fields(10).get(9).copied(), records.next()),
            Some("u ") => {
                status.conflicted += 1;
                (fields(11)[1].to_owned(), fields(11).get(10).copied(), None)
            }
            Some("? ") => ("??".to_owned(), record.get(2..), None),
            _ => {
                if let Some(branch) = record.strip_prefix("# branch.head ") {
                    branch.clone_into(&mut status.branch);
                }
                continue;
            }
        };
        if let Some(path) = path {
            let old_path = old_path.map(shown);
            status.changes.push(Change { code, path: shown(path), old_path });
        }
    }
    status
}

/// A name on one line.
fn shown(path: &str) -> String {
    path.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect()
}

/// The section of the evidence. `commits` are the newest subjects, `diff` is quoted as it is.
pub fn render(status: &Status, commits: &str, diff: &str) -> String {
    let count = |f: fn(&Change) -> bool| status.changes.iter().filter(|c| f(c)).count();
    let is_tracked = |c: &Change| c.code != "??" && !is_conflict(c);
    let mut out = format!("git branch: {}\n", status.branch);
    if status.changes.is_empty() {
        out.push_str("git status: the working tree is clean\n");
    } else {
        let staged = count(|c| c.code != "??" && !is_conflict(c) && !c.code.starts_with('.'));
        let unstaged = count(|c| c.code != "??" && !is_conflict(c) && !c.code.ends_with('.'));
        let untracked = count(|c| c.code == "??");
        out.push_str(&format!(
            "staged: {staged}, unstaged: {unstaged}, untracked: {untracked}, conflicted: {}\n",
            status.conflicted
        ));
    }
    for change in &status.changes {
        let kind = match change.code.as_str() {
            "??" => "untracked".to_owned(),
            code if !is_tracked(change) => format!("conflict {code}"),
            code => code.to_owned(),
        };
        match &change.old_path {
            Some(old) => out.push_str(&format!("- {kind}: {old} -> {}\n", change.path)),
            None => out.push_str(&format!("- {kind}: {}\n", change.path)),
        }
    }
    out.push_str(&format!("newest commits:\n{commits}\n{diff}"));
    out
}

fn is_conflict(change: &Change) -> bool {
    change.code.contains('U') || matches!(change.code.as_str(), "AA" | "DD")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_record_is_read() {
        let output = "# branch.head main\x001 M. N... 1 1 1 a b st aged.txt\x001 .M N... 1 1 1 a b t\n.txt\0\
            2 R. N... 1 1 1 a b R100 z.md\0x -> y.md\0u UU N... 1 1 1 1 a b c uu.txt\0? new file.txt\0";
        let status = parse_status(output);
        let text = render(&status, "", "");
        for part in [
            "staged: 2, unstaged: 1, untracked: 1, conflicted: 1",
            "st aged.txt",
            "t\\n.txt",
            "x -> y.md -> z.md",
            "conflict UU: uu.txt",
            "untracked: new file.txt",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(render(&parse_status("# branch.head main\0"), "", "").contains("is clean"));
    }
}
