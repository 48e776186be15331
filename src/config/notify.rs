//! The part of the configuration that calls the user.

use serde_json::Value;

use super::{Reader, as_bool, as_text};
use crate::rules::notify::{Notify, Terminal};

impl Reader<'_> {
    pub(super) fn notify(&mut self, key: &str, value: &Value, c: &mut Notify) {
        match key {
            "notify.needs_you" => self.set(key, value, "true or false", as_bool, &mut c.needs_you),
            "notify.after_minutes" => {
                let want = "a whole number of minutes or null";
                self.set(key, value, want, as_minutes, &mut c.after_minutes);
            }
            "notify.terminal" => {
                let want = "\"osc9\", \"osc777\", \"bell\" or \"none\"";
                self.set(key, value, want, as_terminal, &mut c.terminal);
            }
            _ if !self.may_run => {}
            "notify.command" => self.set(key, value, "text or null", as_text, &mut c.command),
            _ => self.unknown(key),
        }
    }
}

fn as_minutes(v: &Value) -> Option<Option<u64>> {
    if v.is_null() { Some(None) } else { v.as_u64().map(Some) }
}

fn as_terminal(v: &Value) -> Option<Terminal> {
    Terminal::from_name(v.as_str()?)
}
