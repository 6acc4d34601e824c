//! The platform of an image, and which of an index is taken.

use std::{env::consts, fmt, str::FromStr};

/// Operating system, architecture and its variant, in the words of Go: `linux/amd64`, `linux/arm/v7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Platform {
    /// `linux`.
    pub os: String,
    /// `amd64`.
    pub architecture: String,
    /// `v7`; empty where none is asked for.
    pub variant: String,
}

/// What is no platform.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a platform; expected OS/ARCHITECTURE, such as linux/amd64")]
pub struct NotAPlatform(String);

impl Platform {
    /// Linux on this machine's architecture: clusters run no other, wherever olmap runs.
    pub fn here() -> Self {
        let architecture = match consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "x86" => "386",
            "powerpc64" => "ppc64le",
            other => other,
        };
        Self { os: "linux".to_owned(), architecture: architecture.to_owned(), variant: String::new() }
    }

    /// Whether an image of an index is for this platform. Without a variant only images without match, but on arm64, which
    /// has one.
    pub fn takes(&self, offered: &Self) -> bool {
        let is_usual =
            offered.variant.is_empty() || (self.architecture == "arm64" && offered.variant == "v8");
        self.os == offered.os
            && self.architecture == offered.architecture
            && (self.variant == offered.variant || (is_usual && self.variant.is_empty()))
    }
}

impl FromStr for Platform {
    type Err = NotAPlatform;

    fn from_str(text: &str) -> Result<Self, NotAPlatform> {
        let parts: Vec<&str> = text.split('/').collect();
        let (os, architecture, variant) = match parts.as_slice() {
            [os, architecture] => (os, architecture, ""),
            [os, architecture, variant] if !variant.is_empty() => (os, architecture, *variant),
            _ => return Err(NotAPlatform(text.to_owned())),
        };
        if os.is_empty() || architecture.is_empty() {
            return Err(NotAPlatform(text.to_owned()));
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
    fn variants_are_only_taken_when_asked_for() {
        let platform = |text: &str| text.parse::<Platform>().unwrap();
        assert!(platform("linux/amd64").takes(&platform("linux/amd64")));
        assert!(!platform("linux/amd64").takes(&platform("linux/amd64/v3")));
        assert!(platform("linux/amd64/v3").takes(&platform("linux/amd64/v3")));
        assert!(platform("linux/arm64").takes(&platform("linux/arm64/v8")));
        assert!(!platform("linux/amd64").takes(&platform("windows/amd64")));
        for wrong in ["", "linux", "linux/", "/amd64", "linux/arm/", "a/b/c/d"] {
            assert!(wrong.parse::<Platform>().is_err(), "{wrong}");
        }
    }
}
