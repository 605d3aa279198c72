//! Replays and their pages.

mod drawings;
mod size;
