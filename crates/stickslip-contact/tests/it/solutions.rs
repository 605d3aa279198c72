//! All solutions of contact problems, against closed forms and searches of another kind.

mod common;
mod exact;
mod sets;
mod smooth;
