//! `ccc`: a Stop hook that has an independent supervisor check whether the work is really done.

#![allow(dead_code, reason = "the skeleton grows")]

mod cli;
mod clients;
mod cmd;
mod env;
mod error;
mod rules;
mod sys;

fn main() {}
