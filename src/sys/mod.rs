//! Everything that touches the world. One file owns one facility; none of them decides anything.

pub mod checks;
pub mod clock;
pub mod fs;
pub mod git;
pub mod history;
pub mod live;
pub mod lock;
pub mod process;
pub mod signals;
pub mod signs;
pub mod stdin;
pub mod stops;
pub mod store;
pub mod transcript;
pub mod trust;
pub mod watch;
