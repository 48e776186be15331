//! Files: bounded reads, atomic writes that follow links and keep modes, private directories.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Mode of a new file of ccc.
const PRIVATE_FILE: u32 = 0o600;
/// Mode of a new directory of ccc.
const PRIVATE_DIR: u32 = 0o700;
/// More than this many links in a row is taken for a circle, as the kernel does.
const MAX_LINKS: usize = 40;

/// Reads a whole file of at most `limit` bytes. `None` when there is none.
///
/// # Errors
/// Anything but "not found"; a larger file is `FileTooLarge`.
pub fn read_optional(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("over {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Creates a directory and its parents, each new one with mode 0700.
///
/// # Errors
/// As `mkdir`; an existing directory is fine.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(path)
}

/// The file that a path leads to: links are followed by hand, so that a dangling one resolves too.
///
/// # Errors
/// A circle of links.
pub fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => {
                let base = path.parent().unwrap_or(Path::new("/"));
                path = base.join(target);
            }
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Replaces a file by rename, so that a reader sees the old or the new content, never a part.
///
/// Links are followed to their target, whose mode and (as root) owner are kept; a new file gets
/// mode 0600. No temporary file is left behind.
///
/// # Errors
/// The directory or the disk does not allow it; the old content is then untouched.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, true)
}

/// The same for what need not survive a crash of the machine: does not wait for the disk.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_passing(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, false)
}

fn replace(path: &Path, bytes: &[u8], is_lasting: bool) -> io::Result<()> {
    let target = resolve_links(path)?;
    let dir = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temp = tempfile::Builder::new().prefix(".ccc-tmp-").tempfile_in(dir)?;
    temp.write_all(bytes)?;
    let old = fs::metadata(&target).ok();
    let mode = old.as_ref().map_or(PRIVATE_FILE, |m| m.mode() & 0o7777);
    if let Some(old) = &old {
        let new = temp.as_file().metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            std::os::unix::fs::fchown(temp.as_file(), Some(old.uid()), Some(old.gid()))?;
        }
    }
    temp.as_file().set_permissions(Permissions::from_mode(mode))?;
    if is_lasting {
        temp.as_file().sync_data()?;
    }
    temp.persist(&target).map_err(|e| e.error)?;
    Ok(())
}

/// Whether [`write_atomic`] could replace this file, as far as permissions tell. Changes nothing.
///
/// # Errors
/// The file has no write permission at all (somebody protected it, even from its owner), is no
/// regular file, or its directory takes no new file.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let target = resolve_links(path)?;
    let denied = |what: &str| io::Error::new(io::ErrorKind::PermissionDenied, what.to_owned());
    match fs::metadata(&target) {
        Ok(m) if !m.is_file() => return Err(io::Error::other("it is not a regular file")),
        Ok(m) if m.permissions().readonly() => return Err(denied("the file is read-only")),
        _ => {}
    }
    let parents = target.ancestors().skip(1);
    let Some(dir) = parents.map(Path::to_path_buf).find(|d| d.exists()) else { return Ok(()) };
    let wanted = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(&dir, wanted)
        .map_err(|_| denied(&format!("the directory `{}` is not writable", dir.display())))
}

/// Whether two paths lead to the same file; of absent ones, whether they are written alike.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => a == b,
    }
}

/// When a file was last written, in Unix seconds.
pub fn modified(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().and_then(|m| u64::try_from(m.mtime()).ok())
}

/// Sets the time a file was last written to the present.
///
/// # Errors
/// As `utimes`.
pub fn touch(path: &Path) -> io::Result<()> {
    File::options().append(true).open(path)?.set_modified(std::time::SystemTime::now())
}

/// Tries to write into a directory, or where it would be made; leaves nothing behind.
///
/// # Errors
/// It cannot be written, or something else stands in its place.
pub fn try_write(dir: &Path) -> io::Result<()> {
    let Some(there) = dir.ancestors().find(|d| d.symlink_metadata().is_ok()) else {
        return Ok(());
    };
    tempfile::Builder::new().prefix(".ccc-tmp-").tempfile_in(there)?.write_all(b"x")
}

/// Whether others than the owner may do anything with this file or directory.
pub fn is_open_to_others(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.mode() & 0o077 != 0)
}

/// Gives a file or directory of ccc the mode that a new one gets.
///
/// # Errors
/// As `chmod`.
pub fn make_private(path: &Path) -> io::Result<()> {
    let mode = if path.is_dir() { PRIVATE_DIR } else { PRIVATE_FILE };
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Bytes that the files below a directory take. Links are not followed.
pub fn disk_use(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(m) if m.is_dir() => disk_use(&entry.path()),
        Ok(m) => m.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Bytes that are left on the disk of a path, or of the nearest directory above it that exists.
pub fn free_space(path: &Path) -> Option<u64> {
    let there = path.ancestors().find(|d| d.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Whether this path still leads to this open file.
pub fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Opens a file for appending; a new one gets mode 0600.
///
/// # Errors
/// As `open`.
pub fn open_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(PRIVATE_FILE).open(path)
}

/// Opens a lock file, creating it empty with mode 0600; its content is left alone.
///
/// # Errors
/// As `open`.
pub fn open_lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(PRIVATE_FILE)
        .open(path)
}
