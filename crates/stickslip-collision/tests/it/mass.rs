//! mass
