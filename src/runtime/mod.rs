//! Terminal, threads and files: everything that touches the world while the explorer runs.
