//! Options for reaching registries and web addresses, and the platform to select from an image index.

use std::{
    collections::BTreeSet,
    env::consts,
    fmt,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::cache::Cache;

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

/// Operating system, architecture and variant, with Go's names: `linux/amd64`, `linux/arm/v7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Platform {
    /// Operating system, such as `linux`.
    pub os: String,
    /// Architecture, such as `amd64`.
    pub architecture: String,
    /// Variant, such as `v7`; empty if any is acceptable.
    pub variant: String,
}

/// Error for a text that is not a platform.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a platform; expected OS/ARCHITECTURE, such as linux/amd64")]
pub struct ParsePlatformError(String);

impl Platform {
    /// Returns Linux on this machine's architecture. Clusters run only Linux, wherever olmap runs.
    pub fn for_this_machine() -> Self {
        let architecture = match consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "x86" => "386",
            "powerpc64" => "ppc64le",
            other => other,
        };
        Self { os: "linux".to_owned(), architecture: architecture.to_owned(), variant: String::new() }
    }

    /// Returns true if an image of an index fits this platform. Without a variant only images without one
    /// match. On arm64, `v8` matches too.
    pub fn accepts(&self, offered: &Self) -> bool {
        let is_usual =
            offered.variant.is_empty() || (self.architecture == "arm64" && offered.variant == "v8");
        self.os == offered.os
            && self.architecture == offered.architecture
            && (self.variant == offered.variant || (is_usual && self.variant.is_empty()))
    }
}

impl FromStr for Platform {
    type Err = ParsePlatformError;

    fn from_str(text: &str) -> Result<Self, ParsePlatformError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (os, architecture, variant) = match parts.as_slice() {
            [os, architecture] => (os, architecture, ""),
            [os, architecture, variant] if !variant.is_empty() => (os, architecture, *variant),
            _ => return Err(ParsePlatformError(text.to_owned())),
        };
        if os.is_empty() || architecture.is_empty() {
            return Err(ParsePlatformError(text.to_owned()));
        }
        Ok(Self { os: (*os).into(), architecture: (*architecture).into(), variant: variant.into() })
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)?;
        if self.variant.is_empty() { Ok(()) } else { write!(f, "/{}", self.variant) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_variant_only_if_requested() {
        let platform = |text: &str| text.parse::<Platform>().unwrap();
        assert!(platform("linux/amd64").accepts(&platform("linux/amd64")));
        assert!(!platform("linux/amd64").accepts(&platform("linux/amd64/v3")));
        assert!(platform("linux/amd64/v3").accepts(&platform("linux/amd64/v3")));
        assert!(platform("linux/arm64").accepts(&platform("linux/arm64/v8")));
        assert!(!platform("linux/amd64").accepts(&platform("windows/amd64")));
        for wrong in ["", "linux", "linux/", "/amd64", "linux/arm/", "a/b/c/d"] {
            assert!(wrong.parse::<Platform>().is_err(), "{wrong}");
        }
    }
}
