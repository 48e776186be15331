//! Everything that decides: pure functions of values. No file, process, environment, clock or
//! printing here, so every rule can be tested with a table.

pub mod json_tree;
pub mod loose_json;
pub mod stop;
pub mod text;
pub mod verdict;
