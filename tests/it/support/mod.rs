//! What the tests share.

pub mod claude;
pub mod model;
pub mod namespace;
pub mod sandbox;
pub mod tmux;
