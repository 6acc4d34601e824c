//! How what is not on this machine is reached.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{cache::Cache, platform::Platform};

/// How a registry is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// TLS with a certificate that is verified.
    #[default]
    Verified,
    /// TLS with any certificate, then plain HTTP: `--skip-tls-verify` and `--use-http` of opm mean the same.
    Anything,
}

/// Hosts with a transfer that took too long as a whole: a command that fetches many images waits only once for each of them.
#[derive(Clone, Debug, Default)]
pub struct GivenUp(Arc<Mutex<BTreeSet<String>>>);

impl GivenUp {
    /// Adds a host.
    pub fn add(&self, host: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned());
    }

    /// Returns true if a host was given up.
    pub fn has(&self, host: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(host)
    }
}

/// How images and addresses are reached.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Which image of an index; none: that of this machine.
    pub platform: Option<Platform>,
    /// The only file of credentials that is asked.
    pub authfile: Option<PathBuf>,
    /// How a registry is spoken to.
    pub trust: Trust,
    /// Whether no connection may be opened.
    pub offline: bool,
    /// Longest wait without a byte; `None` for a minute.
    pub patience: Option<Duration>,
    /// Longest time for all of an image or a web address, with retries; `None` for half an hour.
    pub total: Option<Duration>,
    /// Hosts of bundles that are not asked again.
    pub given_up: GivenUp,
    /// Where what was fetched is kept; none: nowhere.
    pub cache: Option<Cache>,
}
