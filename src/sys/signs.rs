//! The files by which a project is recognized.

use std::path::Path;

use crate::rules::project_kind::Signs;
use crate::sys::fs;

/// Largest file that is looked into, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Reads the top directory of a project; what cannot be read counts as absent.
pub fn read(project: &Path) -> Signs {
    let entries = std::fs::read_dir(project).into_iter().flatten().flatten();
    let text = |name: &str| {
        let bytes = fs::read_optional(&project.join(name), MAX_FILE).ok().flatten();
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    };
    Signs {
        names: entries.filter_map(|e| e.file_name().into_string().ok()).collect(),
        package_json: text("package.json"),
        pyproject: text("pyproject.toml"),
        makefile: text("Makefile"),
    }
}
