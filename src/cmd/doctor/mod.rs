//! `ccc doctor`: everything that can make supervision silently not happen, each with what mends it.
//!
//! It looks and tries; only `--fix` changes anything.

mod fix;
mod home;
mod hooks;
mod programs;
mod settings_files;
mod setup;

use std::io::IsTerminal;

use serde_json::json;

use crate::cli::DoctorArgs;
use crate::cmd::Context;
use crate::config::{self, Loaded};
use crate::error::{Error, Exit, Result};
use crate::paths::Paths;
use crate::rules::health::{self, Finding, Style};
use crate::sys::signals::Cancel;
use crate::sys::trust;
use settings_files::SettingsFile;

/// Columns where nobody's terminal says so.
const PLAIN_WIDTH: usize = 100;

/// What is examined.
struct Patient<'a> {
    context: &'a Context,
    paths: Paths,
    loaded: Loaded,
    settings: Vec<SettingsFile>,
    cancel: Cancel,
}

/// Examines the installation; exit 1 when something is broken.
pub fn run(context: &Context, args: &DoctorArgs) -> Result<Exit> {
    let cancel = Cancel::on_signals();
    let fixed = if args.fix { fix::run(&Patient::new(context, cancel.clone())?)? } else { vec![] };
    let patient = Patient::new(context, cancel)?;
    let findings = examine(&patient);
    if patient.cancel.is_cancelled() {
        return Err(Error::Interrupted);
    }
    if args.json {
        let mut report = health::as_json(&findings);
        if args.fix {
            report["fixed"] = json!(fixed);
        }
        context.print(&format!("{report:#}"))?;
    } else {
        let mut text: String = fixed.iter().map(|line| format!("fixed: {line}\n")).collect();
        if args.fix {
            text.push_str(if fixed.is_empty() { "nothing to fix\n\n" } else { "\n" });
        }
        let short = findings.iter().map(|f| patient.shorten(f)).collect::<Vec<_>>();
        text.push_str(&health::render(&short, style(context, args.verbose)));
        context.print(&text)?;
    }
    Ok(if health::is_ok(&findings) { Exit::Ok } else { Exit::Problem })
}

fn style(context: &Context, verbose: bool) -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let size = crossterm::terminal::size().ok().filter(|_| is_terminal);
    let width = size.map_or(PLAIN_WIDTH, |(columns, _)| columns.into());
    Style { color: is_terminal && !context.env.no_color, width, verbose }
}

/// All findings, the most telling first.
fn examine(patient: &Patient) -> Vec<Finding> {
    let mut found = hooks::examine(patient);
    found.extend(programs::examine(patient));
    found.extend(setup::examine(patient));
    found.extend(home::examine(patient));
    found
}

impl<'a> Patient<'a> {
    fn new(context: &'a Context, cancel: Cancel) -> Result<Self> {
        let paths = context.paths()?;
        let is_trusted = |bytes: &[u8]| trust::is_trusted(&paths.trust(), &context.project, bytes);
        let loaded = config::load(&paths, &context.project, is_trusted);
        let settings = settings_files::all(context)?;
        Ok(Self { context, paths, loaded, settings, cancel })
    }

    /// Quoted paths below the home directory as people write them.
    fn shorten(&self, finding: &Finding) -> Finding {
        let home = self.context.env.home.as_deref().and_then(std::path::Path::to_str);
        match home.filter(|home| home.len() > 1) {
            Some(home) => {
                let reason = finding.reason.replace(&format!("`{home}/"), "`~/");
                Finding { reason, ..finding.clone() }
            }
            None => finding.clone(),
        }
    }
}
