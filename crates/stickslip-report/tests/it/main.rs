//! Replays and their pages.

mod drawings;
mod impacts;
mod size;
