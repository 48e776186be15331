//! `ccc status-block`: reads and checks the RALPH_STATUS block of a text.

use std::io::Read;
use std::path::Path;

use crate::cli::StatusBlockArgs;
use crate::cmd::Context;
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::status_block::{self, StatusBlock};
use crate::rules::text::printable;
use crate::sys::fs;

/// Largest text, in bytes.
const MAX_TEXT: u64 = 64 << 20;

/// Prints the fields and the problems of the block that counts. Exit 0 when it is valid.
///
/// # Errors
/// The text cannot be read; without `--json` also when there is no block in it.
pub fn run(context: &Context, args: &StatusBlockArgs) -> Result<Exit> {
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let bytes = read(path)?;
    let block = status_block::find(&String::from_utf8_lossy(&bytes));
    let text = match (&block, args.json) {
        (Some(block), true) => block.to_json().to_string(),
        (Some(block), false) => describe(block),
        (None, true) => absent().to_json().to_string(),
        (None, false) => {
            return Err(Error::problem(format!(
                "found no RALPH_STATUS block in `{}`; it stands between the lines \
                 ---RALPH_STATUS--- and ---END_RALPH_STATUS---",
                if path == Path::new("-") { Path::new("stdin") } else { path }.display(),
            )));
        }
    };
    context.print(&text)?;
    let is_valid = block.is_some_and(|block| block.is_valid());
    Ok(if is_valid { Exit::Ok } else { Exit::Problem })
}

fn absent() -> StatusBlock {
    StatusBlock {
        problems: vec!["there is no RALPH_STATUS block".to_owned()],
        ..StatusBlock::default()
    }
}

fn describe(block: &StatusBlock) -> String {
    let width = block.fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let fields = block.fields.iter().map(|(name, value)| format!("{name:width$}  {value}"));
    let verdict = match block.is_valid() {
        true => "valid".to_owned(),
        false => format!("not valid:\n- {}", block.problems.join("\n- ")),
    };
    printable(&format!("{}\n\n{verdict}\n", fields.collect::<Vec<_>>().join("\n")))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        let bytes = fs::read_optional(path, MAX_TEXT).at("read", path)?;
        return bytes.ok_or_else(|| {
            Error::problem(format!("cannot read `{}`: there is no such file", path.display()))
        });
    }
    let mut bytes = Vec::new();
    std::io::stdin().take(MAX_TEXT).read_to_end(&mut bytes).at("read", Path::new("stdin"))?;
    Ok(bytes)
}
