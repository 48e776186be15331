//! Commands by which the agent itself kept a failure from showing.

use crate::rules::activity::{Activity, Command};
use crate::rules::findings::{Finding, Topic, quoted, silenced};
use crate::rules::runs;

/// The commands since the newest request. A test whose failure was hidden counts only where no
/// later run shows how the tests end.
pub fn find(activity: &Activity) -> Vec<Finding> {
    let newest = activity.requests.len();
    let is_own = |c: &&Command| c.request == newest && !c.is_refused;
    let own: Vec<&Command> = activity.commands.iter().filter(is_own).collect();
    let mut out = Vec::new();
    for (i, command) in own.iter().enumerate() {
        if silenced::skips_hooks(&command.command).is_some() {
            out.push(run(Topic::HooksSkipped, command));
        }
        let is_last = !own[i + 1..].iter().any(|later| runs::is_any(later));
        if is_last && silenced::hides_failure(&command.command).is_some() {
            out.push(run(Topic::Silenced, command));
        }
    }
    out
}

fn run(topic: Topic, command: &Command) -> Finding {
    Finding::of_file(topic, "run by the agent", quoted(&command.command))
}
