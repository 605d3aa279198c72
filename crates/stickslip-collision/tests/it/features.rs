//! Features at other poses, and their rates.
