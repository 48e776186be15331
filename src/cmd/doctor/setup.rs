//! The switches, the config, SUPERVISOR.md, trust and the project's checks.

use super::Patient;
use crate::cmd::prompt;
use crate::config;
use crate::paths;
use crate::rules::health::Finding;
use crate::rules::project_kind;
use crate::sys::{fs, signs};

/// Largest project file that is looked into, in bytes.
const MAX_FILE: u64 = 1 << 20;

pub fn examine(patient: &Patient) -> Vec<Finding> {
    let mut findings = vec![switch(patient)];
    findings.extend(config_files(patient));
    findings.extend(supervisor(patient));
    findings.push(trust(patient));
    findings.push(checks(patient));
    findings
}

fn switch(patient: &Patient) -> Finding {
    const NAME: &str = "switch";
    let env = &patient.context.env;
    if env.disabled {
        let why = "CCC_DISABLE=1 is set here, so every stop of a session started here is allowed";
        return Finding::broken(NAME, why, "unset CCC_DISABLE");
    }
    if !patient.loaded.config.enabled {
        let own = fs::read_optional(&paths::project_config(&patient.context.project), MAX_FILE);
        let is_project = own.ok().flatten().is_some_and(|bytes| {
            serde_json::from_slice::<serde_json::Value>(&bytes)
                .is_ok_and(|v| v.get("enabled") == Some(&serde_json::Value::Bool(false)))
        });
        return if is_project {
            let file = paths::project_config(&patient.context.project);
            let why =
                format!("supervision is off in this project (`enabled` in `{}`)", file.display());
            Finding::warn(NAME, why, format!("set `enabled` to true in `{}`", file.display()))
        } else {
            Finding::warn(NAME, "supervision is off for all sessions", "ccc on")
        };
    }
    if patient.loaded.config.max_iterations == 0 {
        let why = "`max_iterations` is 0, so every stop is allowed without a review";
        return Finding::broken(NAME, why, "set `max_iterations` to 1 or more in the config");
    }
    if patient.loaded.config.reviews_per_hour == 0 {
        let why = "`rate_limit.reviews_per_hour` is 0, so no stop is reviewed";
        return Finding::broken(NAME, why, "set `rate_limit.reviews_per_hour` to 1 or more");
    }
    Finding::ok(NAME, "supervision is on")
}

fn config_files(patient: &Patient) -> Vec<Finding> {
    const NAME: &str = "config";
    let mend = "mend the file; the README lists the keys";
    let problems = patient.loaded.problems.iter().map(|why| Finding::broken(NAME, why, mend));
    let unknown =
        patient.loaded.unknown.iter().map(|key| {
            Finding::warn(NAME, format!("{key} is no key of ccc and has no effect"), mend)
        });
    let mut findings: Vec<Finding> = problems.chain(unknown).collect();
    if findings.is_empty() {
        let files = [patient.paths.config(), paths::project_config(&patient.context.project)];
        let files: Vec<String> =
            files.iter().filter(|f| f.exists()).map(|f| format!("`{}`", f.display())).collect();
        findings.push(Finding::ok(
            NAME,
            match files.is_empty() {
                true => "no config file, the defaults are used".to_owned(),
                false => format!("read from {}", files.join(" and ")),
            },
        ));
    }
    findings
}

fn supervisor(patient: &Patient) -> Vec<Finding> {
    const NAME: &str = "supervisor-md";
    let found = prompt::load(&patient.paths, &patient.context.project);
    if found.warnings.is_empty() {
        let from =
            found.path.map_or("the built-in prompt".into(), |p| format!("`{}`", p.display()));
        return vec![Finding::ok(NAME, format!("reviews follow {from}"))];
    }
    let mend = "make the file readable and save it as UTF-8, or remove it";
    found.warnings.iter().map(|why| Finding::warn(NAME, why, mend)).collect()
}

fn trust(patient: &Patient) -> Finding {
    const NAME: &str = "trust";
    if patient.loaded.is_untrusted {
        let file = paths::project_config(&patient.context.project);
        let why = format!("the commands in `{}` do not run until you allow them", file.display());
        return Finding::warn(NAME, why, "ccc trust");
    }
    match config::read_project_file(&patient.context.project) {
        Some((_, true)) => Finding::ok(NAME, "this project's commands are allowed"),
        _ => Finding::ok(NAME, "this project's config has no commands"),
    }
}

fn checks(patient: &Patient) -> Finding {
    const NAME: &str = "checks";
    let checks = &patient.loaded.config.evidence.checks;
    if !checks.is_empty() {
        let names: Vec<&str> = checks.iter().map(|c| c.name.as_str()).collect();
        return Finding::ok(NAME, format!("ccc runs {}", names.join(", ")));
    }
    if patient.loaded.is_untrusted {
        return Finding::skipped(NAME, "the project's config is not trusted");
    }
    let Some(proposal) = project_kind::propose(&signs::read(&patient.context.project)) else {
        return Finding::skipped(NAME, "none configured");
    };
    let file = paths::project_config(&patient.context.project);
    let check = serde_json::json!({ "evidence": { "checks": [
        { "name": "tests", "run": proposal.run, "gate": true }
    ] } });
    Finding::warn(
        NAME,
        format!(
            "none configured, and this is a {} project: ccc could run its tests",
            proposal.kind
        ),
        format!("put {check} into `{}`, then ccc trust", file.display()),
    )
}
