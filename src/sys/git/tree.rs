//! The work tree on disk: where it begins, and the files in it that git calls changed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::rules::git::{Change, parse_submodule_paths, show_name};
use crate::sys::fs::read_optional;

/// Content is hashed up to this size of a file, and of all together; beyond, size and time stand
/// for it. In bytes.
const MAX_HASHED_FILE: u64 = 1 << 20;
pub const MAX_HASHED: u64 = 32 << 20;
/// Largest configuration file that is looked into, in bytes.
const MAX_CONFIG: u64 = 1 << 20;
/// Submodules beyond this are not looked for.
const MAX_SUBMODULES: usize = 1000;

/// A work tree.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
    /// Its own directory in the repository, and the one it shares with other work trees.
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Tree {
    /// The work tree around a directory, found as git finds it.
    pub fn find(cwd: &Path) -> Option<Self> {
        let cwd = fs::canonicalize(cwd).ok()?;
        cwd.ancestors().find_map(|root| {
            let git_dir = git_dir(&root.join(".git"))?;
            let common = read_line(&git_dir.join("commondir"));
            let common_dir = common.map_or_else(|| git_dir.clone(), |path| git_dir.join(path));
            Some(Self { root: root.to_path_buf(), git_dir, common_dir })
        })
    }

    /// Where `cwd` is below the top, for people; `None` at the top.
    pub fn subdirectory(&self, cwd: &Path) -> Option<String> {
        let cwd = fs::canonicalize(cwd).ok()?;
        let below = cwd.strip_prefix(&self.root).ok()?.as_os_str();
        (!below.is_empty()).then(|| show_name(below.as_bytes()))
    }

    /// What git is in the middle of, if anything: `git status` tells it to people only.
    pub fn unfinished(&self) -> Option<&'static str> {
        const SIGNS: [(&str, &str); 6] = [
            ("rebase-merge", "a rebase"),
            ("rebase-apply", "a rebase or `git am`"),
            ("MERGE_HEAD", "a merge"),
            ("CHERRY_PICK_HEAD", "a cherry-pick"),
            ("REVERT_HEAD", "a revert"),
            ("BISECT_LOG", "a bisection"),
        ];
        SIGNS.iter().find(|(name, _)| self.git_dir.join(name).exists()).map(|&(_, what)| what)
    }

    /// Whether the work tree's top asks for content filters.
    pub fn wants_filters(&self) -> bool {
        let bytes = read_optional(&self.root.join(".gitattributes"), MAX_CONFIG).ok().flatten();
        bytes.is_some_and(|b| String::from_utf8_lossy(&b).contains("filter="))
    }

    /// Where `core.worktree` leads git away from here, the option that brings it back; in a
    /// submodule it leads to this very directory.
    pub fn work_tree_option(&self) -> Option<OsString> {
        let is_set = |file: &Path| {
            let bytes = read_optional(file, MAX_CONFIG).ok().flatten().unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
            text.lines().any(|line| {
                let value = line.trim_start().strip_prefix("worktree");
                value.is_some_and(|v| v.trim_start().starts_with('='))
            })
        };
        let files = [self.common_dir.join("config"), self.git_dir.join("config.worktree")];
        let is_led = files.iter().any(|file| is_set(file));
        is_led.then(|| {
            let mut option = OsString::from("--work-tree=");
            option.push(&self.root);
            option
        })
    }

    /// The configurations of the submodules that are there, and of the submodules in them.
    pub fn submodule_configs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut roots = vec![self.root.clone()];
        while let (Some(root), true) = (roots.pop(), found.len() < MAX_SUBMODULES) {
            let list = read_optional(&root.join(".gitmodules"), MAX_CONFIG).ok().flatten();
            for path in parse_submodule_paths(&list.unwrap_or_default()) {
                let root = root.join(OsStr::from_bytes(&path));
                if let Some(git_dir) = git_dir(&root.join(".git")) {
                    found.push(git_dir.join("config"));
                    roots.push(root);
                }
            }
        }
        found.retain(|file| may_define_filters(file));
        found
    }

    /// Size, mode and time of a changed file: what a baseline remembers of it.
    pub fn stamp(&self, change: &Change) -> Option<String> {
        let meta = fs::symlink_metadata(self.path(change)).ok()?;
        Some(stamp(&meta))
    }

    /// Whether the file of this name reads as a text of a bearable size. git looks at the first
    /// 8000 bytes, too.
    pub fn is_text(&self, name: &[u8]) -> bool {
        let path = self.root.join(OsStr::from_bytes(name));
        let is_small = |m: &Metadata| m.is_file() && m.len() <= MAX_HASHED_FILE;
        let mut bytes = Vec::new();
        fs::symlink_metadata(&path).is_ok_and(|m| is_small(&m))
            && File::open(path).is_ok_and(|f| f.take(8000).read_to_end(&mut bytes).is_ok())
            && !bytes.contains(&0)
    }

    /// The first `max` bytes of a plain file, and whether that is all.
    pub fn read(&self, change: &Change, max: usize) -> Option<(Vec<u8>, bool)> {
        let path = self.path(change);
        // Opening a pipe would wait for its writer.
        if !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(max as u64 + 1).read_to_end(&mut bytes).ok()?;
        let is_whole = bytes.len() <= max;
        bytes.truncate(max);
        Some((bytes, is_whole))
    }

    /// What is on disk, as a text that changes with it. `room` is what may still be read, in
    /// bytes. `None` when it cannot be told.
    pub fn content(&self, change: &Change, room: &mut u64) -> Option<String> {
        let path = self.path(change);
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                // Only a file that git has somewhere else may be missing.
                return (change.index != "??").then(|| "missing".into());
            }
            Err(_) => return None,
        };
        if meta.is_symlink() {
            let target = fs::read_link(&path).ok()?;
            return Some(format!("link {}", show_name(target.as_os_str().as_bytes())));
        }
        if meta.is_dir() {
            return Some("directory".into());
        }
        if !meta.is_file() || meta.len() > MAX_HASHED_FILE.min(*room) {
            return Some(stamp(&meta));
        }
        *room -= meta.len();
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_HASHED_FILE).read_to_end(&mut bytes).ok()?;
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        Some(format!("{:o} {digest}", meta.mode()))
    }

    fn path(&self, change: &Change) -> PathBuf {
        self.root.join(OsStr::from_bytes(&change.bytes))
    }
}

fn may_define_filters(config: &Path) -> bool {
    let bytes = read_optional(config, MAX_CONFIG).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    text.contains("filter") || text.contains("include")
}

fn stamp(meta: &Metadata) -> String {
    format!("{} {:o} {}.{:09}", meta.len(), meta.mode(), meta.mtime(), meta.mtime_nsec())
}

/// A directory, or a file that names one (linked work tree, submodule).
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    let dir = match read_line(dot_git) {
        Some(line) => dot_git.parent()?.join(line.strip_prefix("gitdir: ")?),
        None => dot_git.to_path_buf(),
    };
    dir.join("HEAD").symlink_metadata().is_ok().then_some(dir)
}

fn read_line(file: &Path) -> Option<String> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let bytes = read_optional(file, 64 << 10).ok()??;
    Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_string())
}
