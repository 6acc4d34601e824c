//! How what is not on this machine is reached.

use std::{path::PathBuf, time::Duration};

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
    /// How long is waited without a byte; none: a minute.
    pub patience: Option<Duration>,
    /// Where what was fetched is kept; none: nowhere.
    pub cache: Option<Cache>,
}
