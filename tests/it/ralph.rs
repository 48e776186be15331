//! `ccc ralph` through the binary.

mod lists;
