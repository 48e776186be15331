//! `ccc evidence`: what a judge would be told here and now, or at a recorded stop.

use std::io::Read;
use std::path::Path;

use crate::cli::EvidenceArgs;
use crate::clients;
use crate::cmd::{Context, hook};
use crate::error::{Error, Exit, PathContext, Result};
use crate::rules::stop::{Client, Stop};
use crate::sys::fs;
use crate::sys::signals::Cancel;

/// Largest payload file, in bytes.
const MAX_PAYLOAD: u64 = 64 << 20;

/// Prints the evidence. Runs the configured checks, and changes nothing.
pub fn run(context: &Context, args: &EvidenceArgs) -> Result<Exit> {
    let mut stop = match &args.payload {
        Some(path) => clients::parse(&read(path)?, None).map_err(|why| {
            Error::problem(format!("cannot read the payload in `{}`: {why}", path.display()))
        })?,
        None => Stop::new(Client::Claude),
    };
    if let Some(transcript) = &args.transcript {
        stop.transcript_path = Some(transcript.clone());
    }
    let cancel = Cancel::on_signals();
    let text = hook::evidence_text(stop, &context.env, &cancel)?;
    if cancel.is_cancelled() {
        return Err(Error::Interrupted);
    }
    context.print(&text)?;
    Ok(Exit::Ok)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .take(MAX_PAYLOAD)
            .read_to_end(&mut bytes)
            .at("read", Path::new("stdin"))?;
        return Ok(bytes);
    }
    let bytes = fs::read_optional(path, MAX_PAYLOAD).at("read", path)?;
    bytes.ok_or_else(|| Error::problem(format!("there is no file `{}`", path.display())))
}
