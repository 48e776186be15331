//! The clients: bytes in, bytes out. One file a client, and the edit of a settings text. Pure.

pub mod claude;
pub mod claude_commands;
pub mod claude_transcript;
pub mod claude_turn;
pub mod payload;
pub mod reply;
pub mod settings;

use serde_json::Value;

use crate::rules::stop::{Client, Stop};

/// Reads a payload; `forced` is the client that the command line names.
///
/// # Errors
/// One line that says what is wrong, without repeating the payload.
pub fn parse(bytes: &[u8], forced: Option<Client>) -> Result<Stop, String> {
    match payload::parse(bytes)? {
        Value::Object(map) => Ok(claude::stop(&map, forced.unwrap_or(Client::Claude))),
        _ => Err("the payload on stdin is not a JSON object".into()),
    }
}
