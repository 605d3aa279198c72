//! One harness for all sets: a new set joins by a line in the list.
