//! Platforms of images, and selection from an image index.

use std::{env::consts, fmt, str::FromStr};

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
