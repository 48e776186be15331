//! Everything that decides: pure functions of values. No file, process, environment, clock or
//! printing here, so every rule can be tested with a table.

pub mod activity;
pub mod board;
pub mod breaker;
pub mod check;
pub mod claims;
pub mod columns;
pub mod completion;
pub mod diff;
pub mod evidence;
pub mod feedback;
pub mod git;
pub mod health;
pub mod json_splice;
pub mod json_tree;
pub mod last_block;
pub mod live;
pub mod loose_json;
pub mod outcome;
pub mod policy;
pub mod probe;
pub mod project_kind;
pub mod prompt;
pub mod ralph;
pub mod record;
pub mod redact;
pub mod runs;
pub mod shell;
pub mod state;
pub mod status_block;
pub mod status_judge;
pub mod stop;
pub mod test_report;
pub mod text;
pub mod tool;
pub mod verdict;
