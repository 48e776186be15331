//! The loop over a list of stories: the list and its edits, which story is next, what an executor
//! is told, and what its stream means.

pub mod edit;
pub mod import;
pub mod pick;
pub mod prd;
pub mod state;
pub mod story;
pub mod validation;
