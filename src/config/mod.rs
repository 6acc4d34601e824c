//! Settings of the program.
