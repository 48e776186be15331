//! Command line: clap types and help text, no logic.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::rules::stop::Client;
use crate::sys::clock;

/// Whole command line of `ccc`.
#[derive(Debug, Parser)]
#[command(
    name = "ccc",
    version,
    about = "Checks whether a coding agent's work is really done before it may stop",
    long_about = "ccc is a Stop hook for coding agents. When the agent wants to stop, ccc collects \
        evidence of what was really done, lets an independent, read-only supervisor session \
        review it, and answers: go on, with this feedback, or: you may stop.\n\n\
        See it at work with `ccc demo`, start with `ccc install`, look with `ccc monitor`, switch \
        off with `ccc off`.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands; each has a file of its name under `src/cmd/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a client's Stop hook (reads the hook's JSON on standard input)
    Hook(HookArgs),
    /// Wire the hook into a client
    Install(InstallArgs),
    /// Take out exactly what `install` put in
    Uninstall(UninstallArgs),
    /// Switch supervision on, for one session or for all
    On(SessionArgs),
    /// Switch supervision off, for one session or for all
    Off(SessionArgs),
    /// Show what is on, the round, the breaker, the last verdict and the cost
    Status(StatusArgs),
    /// Clear the counts; an open breaker becomes half-open
    Reset(SessionArgs),
    /// Watch the supervised sessions
    Monitor(MonitorArgs),
    /// Show the history of stops
    Log(LogArgs),
    /// Explain one stop in full: request, evidence, verdict, rule, cost, prompt, and what was sent
    Why(WhyArgs),
    /// Decide a recorded stop again by the present config, and show what would differ
    Replay(ReplayArgs),
    /// Print the effective review prompt, and on standard error where it came from
    Prompt,
    /// Print what a judge would be told, here and now or at a recorded stop
    Evidence(EvidenceArgs),
    /// Read and check a RALPH_STATUS block (exit 0 valid, 1 invalid or absent)
    StatusBlock(StatusBlockArgs),
    /// Allow this project's config to run commands, bound to its present content
    Trust,
    /// Take that permission back
    Untrust,
    /// Show a supervised session end to end, with no account and no network
    Demo(DemoArgs),
    /// Work through a list of stories, one fresh executor an iteration
    Ralph(RalphArgs),
    /// Check the whole installation, and say how to mend what is wrong
    Doctor(DoctorArgs),
    /// Print shell completions
    Completions {
        /// Shell to print them for
        shell: clap_complete::Shell,
    },
    /// Print the man page (roff)
    Man,
}

/// A client whose hook ccc can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClientArg {
    Claude,
    Codex,
    #[value(name = "opencode")]
    OpenCode,
    Pi,
    Gemini,
    #[value(name = "codebuddy")]
    CodeBuddy,
}

impl From<ClientArg> for Client {
    fn from(arg: ClientArg) -> Self {
        match arg {
            ClientArg::Claude => Self::Claude,
            ClientArg::Codex => Self::Codex,
            ClientArg::OpenCode => Self::OpenCode,
            ClientArg::Pi => Self::Pi,
            ClientArg::Gemini => Self::Gemini,
            ClientArg::CodeBuddy => Self::CodeBuddy,
        }
    }
}

#[derive(Args, Debug)]
pub struct HookArgs {
    /// Answer in this client's form instead of the one told from the payload
    #[arg(long, value_name = "NAME")]
    pub client: Option<ClientArg>,
    /// Older entries name the event here (`ccc hook stop`); the payload decides
    #[arg(hide = true)]
    pub event: Option<String>,
}

/// Where a client's settings are edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// For all projects of this user
    #[default]
    User,
    /// For everyone who works in this project (`.claude/settings.json`)
    Project,
    /// For this user in this project (`.claude/settings.local.json`)
    Local,
}

#[derive(Args, Clone, Debug)]
pub struct WiringArgs {
    /// Client whose settings are edited
    #[arg(long, value_name = "NAME", default_value = "claude")]
    pub client: ClientArg,
    /// Settings to edit
    #[arg(long, default_value = "user")]
    pub scope: Scope,
    /// Print the change without making it
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args, Clone, Debug)]
pub struct InstallArgs {
    #[command(flatten)]
    pub wiring: WiringArgs,
    /// Let Claude Code honor as many blocks in a row as `max_iterations` allows
    #[arg(long)]
    pub raise_cap: bool,
    /// Show what ccc does in Claude Code's status line, where the user has none
    #[arg(long)]
    pub statusline: bool,
}

#[derive(Args, Clone, Debug)]
pub struct UninstallArgs {
    #[command(flatten)]
    pub wiring: WiringArgs,
    /// Remove ccc's config, state and history, too
    #[arg(long)]
    pub purge: bool,
}

#[derive(Args, Debug)]
pub struct SessionArgs {
    /// Session to act on (default: the session this is typed in, else all)
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Print one short segment for a status line (reads the client's JSON on standard input)
    #[arg(long, conflicts_with = "json")]
    pub line: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct MonitorArgs {
    /// Print one plain frame and end
    #[arg(long)]
    pub once: bool,
    /// Print the same as JSON and end
    #[arg(long)]
    pub json: bool,
    /// Start the agent in tmux, with the monitor beside it (inside tmux: in this window)
    #[arg(long, conflicts_with_all = ["once", "json"])]
    pub tmux: bool,
    /// The agent and its arguments, after `--` (default: claude)
    #[arg(last = true, value_name = "CMD", requires = "tmux")]
    pub command: Vec<OsString>,
}

#[derive(Args, Debug)]
pub struct LogArgs {
    /// Go on printing new entries
    #[arg(short, long)]
    pub follow: bool,
    /// Only this session (its first 8 characters are enough)
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this project (without a value: the one of the present directory)
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub project: Option<PathBuf>,
    /// Only what happened since then: 30m, 2h, 3d, 1w, 14:05, 2026-12-01, or RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = point_in_time)]
    pub since: Option<u64>,
    /// Print JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct WhyArgs {
    /// Id of a stop (`ccc log` shows it) or of a session (default: the newest stop here)
    pub id: Option<String>,
    /// Print the whole record as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Record of a stop (a file), or the id of a stop or session
    #[arg(value_name = "FILE|ID")]
    pub stop: String,
    /// Ask the configured judge again, with the present review prompt (may cost a model call)
    #[arg(long)]
    pub judge: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Mend what is safe to mend: hook entries, directories, modes, old sessions
    #[arg(long)]
    pub fix: bool,
    /// Show what is well, too
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args, Debug)]
pub struct EvidenceArgs {
    /// Payload of a Stop hook (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub payload: Option<PathBuf>,
    /// Transcript to read instead of the payload's
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct StatusBlockArgs {
    /// File with the text (`-` or nothing: standard input)
    pub file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Leave the scratch directory in place, to look around in it
    #[arg(long)]
    pub keep: bool,
}

#[derive(Args, Debug)]
pub struct RalphArgs {
    #[command(subcommand)]
    pub command: RalphCommand,
}

/// The subcommands of the loop.
#[derive(Debug, Subcommand)]
pub enum RalphCommand {
    /// Make a new `prd.json`, or one from another list
    Init(RalphInitArgs),
    /// Look at stories, and change them
    Story(StoryArgs),
    /// Show the stories, what runs and what is next
    Status(RalphStatusArgs),
}

#[derive(Args, Debug)]
pub struct RalphInitArgs {
    /// Name of the project (default: its directory)
    #[arg(long)]
    pub name: Option<String>,
    #[arg(long, default_value = "")]
    pub description: String,
    /// List to import: `prd.json` in either form, a Markdown checklist, a `fix_plan.md`
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct StoryArgs {
    #[command(subcommand)]
    pub command: StoryCommand,
}

#[derive(Debug, Subcommand)]
pub enum StoryCommand {
    /// Append a story
    Add {
        title: String,
        #[command(flatten)]
        fields: StoryFields,
    },
    /// List the stories
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one story
    Show {
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Change fields of a story
    Edit {
        id: String,
        #[arg(long)]
        title: Option<String>,
        /// `pending`, `ready_for_review`, `passed`, `failed` or `blocked`; `pending` also clears the attempts
        #[arg(long)]
        status: Option<String>,
        #[command(flatten)]
        fields: StoryFields,
    },
    /// Take a story out
    Remove { id: String },
}

#[derive(Args, Debug)]
pub struct StoryFields {
    #[arg(long)]
    pub description: Option<String>,
    /// 1 comes first (default 5)
    #[arg(long)]
    pub priority: Option<i64>,
    /// Command that decides whether the story is done
    #[arg(long, value_name = "COMMAND")]
    pub validation: Option<String>,
    /// Acceptance criterion (may be repeated)
    #[arg(long, value_name = "TEXT")]
    pub criterion: Vec<String>,
    /// Id of a story that must pass before (may be repeated)
    #[arg(long, value_name = "ID")]
    pub depends_on: Vec<String>,
}

#[derive(Args, Debug)]
pub struct RalphStatusArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn point_in_time(text: &str) -> Result<u64, String> {
    clock::since(text).ok_or_else(|| "say 30m, 2h, 3d, 1w, 14:05 or 2026-12-01".to_owned())
}
