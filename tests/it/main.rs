//! All tests that go through the built binary, in one test program.

// The helpers of tests are not seen as tests by the lint.
#![allow(clippy::unwrap_used)]

mod claude;
mod demo;
mod discarded;
mod doctor;
mod evidence;
mod generate;
mod hook;
mod install;
mod layers;
mod log;
mod monitor;
mod notify;
mod outcomes;
mod ralph;
mod readme;
mod redact;
mod statusline;
mod support;
mod why;
