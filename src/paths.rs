//! Where things are: the client directory, ccc's own directory, the project.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::{Error, Result};

/// The directories and files of one user.
#[derive(Clone, Debug)]
pub struct Paths {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub client_dir: PathBuf,
    /// `$CCC_HOME`, else `<client directory>/ccc`.
    pub ccc_home: PathBuf,
}

impl Paths {
    /// Resolves the directories from the environment.
    ///
    /// # Errors
    /// No home directory is known and nothing else says where to look.
    pub fn from_env(env: &Env) -> Result<Self> {
        let client_dir = match (&env.claude_config_dir, &env.home) {
            (Some(dir), _) => absolute(dir),
            (None, Some(home)) => home.join(".claude"),
            (None, None) => {
                return Err(Error::problem(
                    "no home directory is known: set HOME to an absolute path, or CLAUDE_CONFIG_DIR",
                ));
            }
        };
        let ccc_home = env.ccc_home.as_deref().map_or_else(|| client_dir.join("ccc"), absolute);
        Ok(Self { client_dir, ccc_home })
    }

    /// User config.
    pub fn config(&self) -> PathBuf {
        self.ccc_home.join("config.json")
    }

    /// Session states and their locks.
    pub fn sessions(&self) -> PathBuf {
        self.ccc_home.join("sessions")
    }

    /// What the running reviews say of themselves.
    pub fn live(&self) -> PathBuf {
        self.ccc_home.join("live")
    }

    /// What the last review of each session was told.
    pub fn evidence(&self) -> PathBuf {
        self.ccc_home.join("evidence")
    }

    /// History, one JSON object a line.
    pub fn events(&self) -> PathBuf {
        self.ccc_home.join("events.jsonl")
    }

    /// Readable log.
    pub fn log(&self) -> PathBuf {
        self.ccc_home.join("supervisor.log")
    }

    /// Newest session at a glance.
    pub fn monitor_status(&self) -> PathBuf {
        self.ccc_home.join("monitor-status.json")
    }

    /// Start times of the reviews of the last hour, of all sessions.
    pub fn rate(&self) -> PathBuf {
        self.ccc_home.join("rate.json")
    }

    /// The loop's locks, its copies of lists, and its calls of the last hour.
    pub fn ralph(&self) -> PathBuf {
        self.ccc_home.join("ralph")
    }

    /// Records of the newest stops.
    pub fn stops(&self) -> PathBuf {
        self.ccc_home.join("stops")
    }

    /// Held while old state is removed; its time says when that was.
    pub fn prune_lock(&self) -> PathBuf {
        self.ccc_home.join("prune.lock")
    }

    /// What `ccc trust` allowed.
    pub fn trust(&self) -> PathBuf {
        self.ccc_home.join("trust.json")
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The project: `$CLAUDE_PROJECT_DIR` (when that directory exists), else the git top level of
/// `cwd`, else `cwd`, else the process's directory. Starts no program.
pub fn project_dir(env: &Env, cwd: Option<&Path>) -> PathBuf {
    if let Some(dir) = env.claude_project_dir.as_deref().filter(|d| d.is_dir()) {
        return absolute(dir);
    }
    let cwd = work_dir(cwd);
    cwd.ancestors().find(|d| d.join(".git").exists()).unwrap_or(&cwd).to_path_buf()
}

/// The payload's directory when it exists, else the process's directory, else `/`.
pub fn work_dir(cwd: Option<&Path>) -> PathBuf {
    let given = cwd.filter(|d| d.is_absolute() && d.is_dir()).map(Path::to_path_buf);
    given.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
}

/// A leading `~/` stands for the home directory.
pub fn expand_tilde(path: &Path, env: &Env) -> PathBuf {
    match (path.strip_prefix("~"), &env.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// Project config.
pub fn project_config(project: &Path) -> PathBuf {
    project.join(".claude").join("ccc.json")
}
