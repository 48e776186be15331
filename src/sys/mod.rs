//! Everything that touches the world. One file owns one facility; none of them decides anything.

pub mod fs;
pub mod process;
pub mod signals;
