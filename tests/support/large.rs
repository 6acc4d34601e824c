//! Number of attacks: small in normal test runs. docs/trust.md has the command for large runs.

/// Returns true if large runs are requested.
pub fn is_large() -> bool {
    std::env::var_os("OLMAP_ATTACK").is_some_and(|value| value == "large")
}
