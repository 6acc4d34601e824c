//! Versions parsed like blang's `ParseTolerant`, as in a ClusterServiceVersion.

use super::{Version, error::VersionError};

impl Version {
    /// Parses a version like OLM parses `spec.version` of a ClusterServiceVersion. Drops surrounding blanks, a
    /// leading `v` and leading zeros; missing numbers are 0. Source: blang/semver v4, `ParseTolerant`.
    ///
    /// # Errors
    ///
    /// If the result is still invalid, or if a pre-release or build follows fewer than three numbers.
    ///
    /// ```
    /// use olm_version::Version;
    ///
    /// assert_eq!(Version::parse_tolerant("v1.02")?, Version::new(1, 2, 0));
    /// assert!(Version::parse_tolerant("1.2-rc.1").is_err());
    /// # Ok::<(), olm_version::VersionError>(())
    /// ```
    pub fn parse_tolerant(text: &str) -> Result<Self, VersionError> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        let is_short = parts.len() < 3;
        let has_suffix = parts.last().is_some_and(|last| last.contains(['+', '-']));
        if is_short && has_suffix {
            return Self::parse(text);
        }
        parts.resize(3, "0".to_owned());
        Self::parse(&parts.join("."))
    }
}

/// Removes leading zeros: `007` becomes `7`; `00` and `00-rc` keep one zero.
fn without_leading_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    format!("{zero}{trimmed}")
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn completes_missing_numbers_and_drops_extra_text() {
        let cases = [
            ("1", Some("1.0.0")),
            (" v1.2 ", Some("1.2.0")),
            ("1.02.003", Some("1.2.3")),
            ("1.00.0", Some("1.0.0")),
            ("1.2.00-rc.1+b", Some("1.2.0-rc.1+b")),
            ("1.2.3-01", None),
            ("1.2-rc", None),
            ("1+b", None),
            ("", None),
            ("v", None),
            ("1.x.0", None),
        ];
        for (text, expected) in cases {
            let read = Version::parse_tolerant(text).ok().map(|version| version.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
