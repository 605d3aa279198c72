//! Scene files and recordings: the only library of the project that reads or writes files.

pub mod recording;
