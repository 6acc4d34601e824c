//! Attacks run in small numbers with all other tests; docs/trust.md has the command that runs them in large ones.

/// Whether large numbers are asked for.
pub fn is_large() -> bool {
    std::env::var_os("OLMAP_ATTACK").is_some_and(|value| value == "large")
}
