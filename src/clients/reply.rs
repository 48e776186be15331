//! The answer to a client: exit code, standard output, standard error.

use serde_json::json;

use crate::rules::stop::Client;

/// What the hook process answers with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// 0 or 2, nothing else.
    pub code: u8,
    pub stdout: String,
    pub stderr: String,
}

impl Reply {
    /// The stop goes ahead, and nothing is said.
    pub fn silence() -> Self {
        Self::default()
    }

    /// The stop goes ahead; the user sees the notice.
    pub fn allow(notice: Option<String>) -> Self {
        let stdout = notice.map(|text| format!("{}\n", json!({ "systemMessage": text })));
        Self { stdout: stdout.unwrap_or_default(), ..Self::default() }
    }

    /// An answer that also lets the client write this sequence to its terminal (Claude Code takes
    /// the field `terminalSequence`). A block has no object to carry it.
    #[must_use]
    pub fn with_terminal_sequence(mut self, sequence: &str) -> Self {
        if self.code == 0 {
            let mut object = serde_json::from_str(&self.stdout).unwrap_or_else(|_| json!({}));
            object["terminalSequence"] = json!(sequence);
            self.stdout = format!("{object}\n");
        }
        self
    }

    /// The agent goes on with this feedback, in the form that the client takes and shows best.
    ///
    /// Claude Code would send the `decision` form to its model twice (2.1.332), so it gets exit 2.
    pub fn block(client: Client, feedback: String) -> Self {
        match client {
            Client::Claude | Client::CodeBuddy => {
                Self { code: 2, stdout: String::new(), stderr: feedback }
            }
            Client::Codex | Client::Gemini | Client::OpenCode | Client::Pi => {
                let stdout = format!("{}\n", json!({ "decision": "block", "reason": feedback }));
                Self { stdout, ..Self::default() }
            }
        }
    }
}
