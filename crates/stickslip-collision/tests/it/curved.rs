//! curved
