//! Options for reaching registries and web addresses.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{cache::Cache, platform::Platform};

/// Transport security of a connection to a registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// TLS with a verified certificate.
    #[default]
    Verified,
    /// TLS with any certificate, then plain HTTP, like `--skip-tls-verify` and `--use-http` of opm.
    Unverified,
}

/// Hosts with a transfer that exceeded the total time limit. A command that fetches many images
/// waits only once for each of them.
#[derive(Clone, Debug, Default)]
pub struct UnreachableHosts(Arc<Mutex<BTreeSet<String>>>);

impl UnreachableHosts {
    /// Adds a host.
    pub fn add_host(&self, host: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned());
    }

    /// Returns true if a host was given up.
    pub fn contains(&self, host: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(host)
    }
}

/// Options for fetching images and web addresses.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Platform to select from an image index; `None` for the platform of this machine.
    pub platform: Option<Platform>,
    /// Credentials file that replaces all others.
    pub authfile: Option<PathBuf>,
    /// Transport security.
    pub trust: Trust,
    /// True if no connection may be opened.
    pub offline: bool,
    /// Longest wait without receiving a byte; `None` for one minute.
    pub patience: Option<Duration>,
    /// Time limit for a whole image or web address, including retries; `None` for half an hour.
    pub total: Option<Duration>,
    /// Hosts of bundle images that are not contacted again.
    pub unreachable_hosts: UnreachableHosts,
    /// Cache for fetched content; `None` to keep nothing.
    pub cache: Option<Cache>,
}
