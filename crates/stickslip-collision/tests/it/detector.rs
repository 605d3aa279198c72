//! detector
