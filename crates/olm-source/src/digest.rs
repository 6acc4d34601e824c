//! Digests of manifests, configs and layers.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256, Sha512};

/// A digest in the form `sha256:HEX` or `sha512:HEX`, in lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Digest {
    algorithm: Algorithm,
    hex: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Algorithm {
    Sha256,
    Sha512,
}

/// Error for a text that is not a digest.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is not a digest: sha256: and 64 hexadecimal digits in lower case are expected")]
pub struct ParseDigestError(pub String);

impl Digest {
    /// Returns the SHA-256 digest of the bytes.
    pub fn sha256(bytes: &[u8]) -> Self {
        let mut digester = Digester::Sha256(Sha256::new());
        digester.update(bytes);
        digester.finish()
    }

    /// Returns the hexadecimal digits, which are safe as a file name.
    pub fn hex(&self) -> &str {
        &self.hex
    }

    /// Returns the name of the algorithm, which is a folder name in an image layout.
    pub fn algorithm(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha512 => "sha512",
        }
    }

    /// Returns a digester for the same algorithm.
    pub fn digester(&self) -> Digester {
        match self.algorithm {
            Algorithm::Sha256 => Digester::Sha256(Sha256::new()),
            Algorithm::Sha512 => Digester::Sha512(Sha512::new()),
        }
    }

    /// Returns true if the bytes have this digest.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        let mut digester = self.digester();
        digester.update(bytes);
        digester.finish() == *self
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let wrong = || ParseDigestError(text.to_owned());
        let (name, hex) = text.split_once(':').ok_or_else(wrong)?;
        let (algorithm, digits) = match name {
            "sha256" => (Algorithm::Sha256, 64),
            "sha512" => (Algorithm::Sha512, 128),
            _ => return Err(wrong()),
        };
        let is_hex = hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex.len() != digits || !is_hex {
            return Err(wrong());
        }
        Ok(Self { algorithm, hex: hex.to_owned() })
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm(), self.hex)
    }
}

/// Incremental computation of a digest.
pub enum Digester {
    /// SHA-256.
    Sha256(Sha256),
    /// SHA-512.
    Sha512(Sha512),
}

impl Default for Digester {
    fn default() -> Self {
        Self::Sha256(Sha256::new())
    }
}

impl Digester {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(state) => state.update(bytes),
            Self::Sha512(state) => state.update(bytes),
        }
    }

    /// Returns the digest of all bytes added.
    pub fn finish(self) -> Digest {
        let (algorithm, bytes) = match self {
            Self::Sha256(state) => (Algorithm::Sha256, state.finalize().to_vec()),
            Self::Sha512(state) => (Algorithm::Sha512, state.finalize().to_vec()),
        };
        let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
        let hex = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect();
        Digest { algorithm, hex }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_incomplete_and_upper_case_digests() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::sha256(b"").to_string(), empty);
        assert!(empty.parse::<Digest>().unwrap().matches(b""));
        let upper = empty.to_uppercase();
        for wrong in
            ["", "sha256:", "sha256:zz", "md5:00", &upper, "sha256:../../../etc/passwd", &empty[..70]]
        {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
        let long: Digest = format!("sha512:{}", "0".repeat(128)).parse().unwrap();
        assert!(!long.matches(b""));
    }
}
