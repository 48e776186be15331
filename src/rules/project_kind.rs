//! Recognizes a project by its files, and proposes the check that it would be tested with.

/// What is known of a project's top directory.
#[derive(Debug, Default)]
pub struct Signs {
    /// File names.
    pub names: Vec<String>,
    pub package_json: String,
    pub pyproject: String,
    pub makefile: String,
}

/// Name of a kind of project, and the command that runs its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub kind: &'static str,
    pub run: String,
}

/// The check of a recognized project.
pub fn propose(signs: &Signs) -> Option<Proposal> {
    let has = |name: &str| signs.names.iter().any(|n| n == name);
    let of = |kind, run: &str| Some(Proposal { kind, run: run.to_owned() });
    if has("Cargo.toml") {
        return of("Cargo", "cargo test");
    }
    if has("package.json") && has_npm_test(&signs.package_json) {
        let managers = [
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("bun.lock", "bun run"),
            ("bun.lockb", "bun run"),
        ];
        let manager = managers.iter().find(|(lock, _)| has(lock)).map_or("npm", |(_, m)| *m);
        return of("npm", &format!("{manager} test"));
    }
    if has("go.mod") {
        return of("go", "go test ./...");
    }
    if is_pytest(signs) {
        return of("pytest", if has("uv.lock") { "uv run pytest -q" } else { "pytest -q" });
    }
    let targets = ["test", "check"];
    let target = targets.iter().find(|t| signs.makefile.lines().any(|l| is_rule(l, t)));
    target.and_then(|t| of("make", &format!("make {t}")))
}

/// A test script of its own; `npm init` writes one that only fails.
fn has_npm_test(package_json: &str) -> bool {
    let value: serde_json::Value = serde_json::from_str(package_json).unwrap_or_default();
    let script = value.get("scripts").and_then(|s| s.get("test")?.as_str()).unwrap_or_default();
    !script.trim().is_empty() && !script.contains("no test specified")
}

fn is_pytest(signs: &Signs) -> bool {
    let files = ["pytest.ini", "conftest.py", ".pytest.ini"];
    signs.names.iter().any(|n| files.contains(&n.as_str())) || signs.pyproject.contains("pytest")
}

fn is_rule(line: &str, target: &str) -> bool {
    let rest = line.strip_prefix(target).map(str::trim_start);
    rest.is_some_and(|r| r.starts_with(':') && !r.starts_with(":="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_project_is_known_by_its_files() {
        let npm = r#"{"scripts":{"test":"vitest run"}}"#;
        let none = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        let table = [
            ("Cargo.toml Makefile", "", "", "test:\n", Some("cargo test")),
            ("package.json", npm, "", "", Some("npm test")),
            ("package.json pnpm-lock.yaml", npm, "", "", Some("pnpm test")),
            ("package.json", none, "", "", None),
            ("package.json", "{", "", "", None),
            ("go.mod", "", "", "", Some("go test ./...")),
            ("pytest.ini", "", "", "", Some("pytest -q")),
            (
                "pyproject.toml uv.lock",
                "",
                "[tool.pytest.ini_options]",
                "",
                Some("uv run pytest -q"),
            ),
            ("pyproject.toml", "", "[project]", "", None),
            ("Makefile", "", "", "all:\n\techo\ncheck : all\n", Some("make check")),
            ("Makefile", "", "", "test := 1\ntests:\n", None),
            ("README.md", "", "", "", None),
        ];
        for (names, package_json, pyproject, makefile, want) in table {
            let signs = Signs {
                names: names.split(' ').map(str::to_owned).collect(),
                package_json: package_json.into(),
                pyproject: pyproject.into(),
                makefile: makefile.into(),
            };
            let got = propose(&signs).map(|p| p.run);
            assert_eq!(got.as_deref(), want, "{names}");
        }
    }
}
