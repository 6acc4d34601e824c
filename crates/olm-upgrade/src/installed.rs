//! Bundle that is installed on a cluster.

use olm_catalog::{BundleName, package::Package, similar_names};
use olm_version::{Version, VersionRelease};

/// Installed bundle. If it is no longer in the catalog, the user must give its version.
#[derive(Clone, Debug, PartialEq)]
pub struct Installed {
    /// Name of the bundle.
    pub name: BundleName,
    /// Version of the bundle. If `None`, no range matches it.
    pub version: Option<VersionRelease>,
}

impl Installed {
    /// Creates the installed bundle from a name and the version in the package.
    pub fn from_package(package: &Package, name: &BundleName) -> Self {
        Self { name: name.clone(), version: package.bundle_version(name.as_str()).cloned() }
    }

    /// Parses `NAME`, `NAME@VERSION` or `VERSION`.
    ///
    /// # Errors
    ///
    /// Fails if the text does not identify a single bundle, or if the version is invalid or unknown.
    pub fn parse(package: &Package, text: &str) -> Result<Self, InstalledError> {
        let unknown = |problem| InstalledError { text: text.to_owned(), problem };
        if package.bundle(text).is_some() {
            return Ok(Self::from_package(package, &text.into()));
        }
        if let Some((name, version)) = text.rsplit_once('@') {
            let version =
                Version::parse(version).map_err(|e| unknown(InstalledProblem::BadVersion(e.to_string())))?;
            return Ok(Self { name: name.into(), version: Some(version.into()) });
        }
        let has_it =
            |version: &VersionRelease| version.to_string() == text || version.version.to_string() == text;
        let matching: Vec<&BundleName> = package
            .bundles
            .iter()
            .filter(|b| b.version.as_ref().is_some_and(has_it))
            .map(|b| &b.name.value)
            .collect();
        match matching.as_slice() {
            [only] => Ok(Self::from_package(package, only)),
            [] if Version::parse(text).is_ok() => Err(unknown(InstalledProblem::NoVersion)),
            [] => Err(unknown(InstalledProblem::NoBundle)),
            several => {
                Err(unknown(InstalledProblem::Several(several.iter().map(ToString::to_string).collect())))
            }
        }
    }
}

/// Text that does not identify an installed bundle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text}: {problem}")]
pub struct InstalledError {
    /// Text of the argument.
    pub text: String,
    problem: InstalledProblem,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum InstalledProblem {
    #[error("no such bundle in the package")]
    NoBundle,
    #[error("the package has no bundle of this version")]
    NoVersion,
    #[error("several bundles have this version: {}", .0.join(", "))]
    Several(Vec<String>),
    #[error("not a version after the @: {0}")]
    BadVersion(String),
}

impl InstalledError {
    /// Returns true if several bundles have the version.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self.problem, InstalledProblem::Several(_))
    }

    /// Suggests a correction; `None` if there is none. `how` says where the user can give the version of a bundle that left
    /// the catalog.
    pub fn correction_hint(&self, package: &Package, how: &str) -> Option<String> {
        let meant = self.suggest_bundles(package);
        let meant = meant.iter().map(BundleName::as_str).collect::<Vec<_>>().join(" or ");
        (!meant.is_empty()).then(|| {
            format!(
                "did you mean {meant}? A bundle that is no longer in the catalog needs its version{how}: \
                 NAME@1.2.3"
            )
        })
    }

    /// Suggests bundles: one with a similar name, otherwise those with the closest versions, otherwise any.
    pub fn suggest_bundles(&self, package: &Package) -> Vec<BundleName> {
        let names = || package.bundles.iter().map(|b| &b.name.value);
        match &self.problem {
            InstalledProblem::Several(names) => {
                return names.iter().map(|name| name.as_str().into()).collect();
            }
            InstalledProblem::BadVersion(_) => return Vec::new(),
            InstalledProblem::NoBundle | InstalledProblem::NoVersion => {}
        }
        if let Some(name) = similar_names::suggest_closest(&self.text, names().map(BundleName::as_str)) {
            return vec![name.into()];
        }
        let tail = self.text.rsplit_once(".v").map_or(self.text.as_str(), |(_, tail)| tail);
        if let Ok(version) = Version::parse(tail) {
            let with_version =
                || package.bundles.iter().filter_map(|b| Some((b.version.as_ref()?, &b.name.value)));
            let (lower, higher): (Vec<_>, Vec<_>) =
                with_version().partition(|(v, _)| v.version.cmp_precedence(&version).is_lt());
            let below = lower.into_iter().max_by(|a, b| a.0.cmp_precedence(b.0));
            let above = higher.into_iter().min_by(|a, b| a.0.cmp_precedence(b.0));
            return below.into_iter().chain(above).map(|(_, name)| name.clone()).collect();
        }
        names().next_back().cloned().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn parse_installed(text: &str) -> Result<(String, Option<String>), InstalledError> {
        let graph = fixture::graph_from_channels(&[("c", "1.0.0\n1.1.0\n1.1.0+again")]);
        Installed::parse(&graph.package, text).map(|i| (i.name.to_string(), i.version.map(|v| v.to_string())))
    }

    #[test]
    fn parses_name_or_version_or_both() {
        let one = ("p.v1.0.0".to_owned(), Some("1.0.0".to_owned()));
        assert_eq!(parse_installed("p.v1.0.0"), Ok(one.clone()));
        assert_eq!(parse_installed("1.0.0"), Ok(one));
        assert_eq!(parse_installed("p.v0.9.0@0.9.0"), Ok(("p.v0.9.0".to_owned(), Some("0.9.0".to_owned()))));
    }

    #[test]
    fn rejects_text_that_does_not_identify_a_bundle() {
        assert_eq!(parse_installed("p.v0.9.0").unwrap_err().problem, InstalledProblem::NoBundle);
        assert_eq!(parse_installed("2.0.0").unwrap_err().problem, InstalledProblem::NoVersion);
        assert!(matches!(parse_installed("p@v1").unwrap_err().problem, InstalledProblem::BadVersion(_)));
        let graph = fixture::graph_from_lines("1.1.0\n1.1.0+a\n1.1.0+b");
        let one = Installed::parse(&graph.package, "1.1.0");
        assert_eq!(one.unwrap().name, "p.v1.1.0", "build metadata counts here");
    }

    #[test]
    fn suggests_similar_names_and_closest_versions() {
        let graph = fixture::graph_from_lines("3.0.0\n2.0.0\n1.0.0");
        let meant = |text: &str| {
            let names = Installed::parse(&graph.package, text).unwrap_err().suggest_bundles(&graph.package);
            names.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(meant("p-v2.0.0"), ["p.v2.0.0"]);
        assert_eq!(meant("p.v2.1.0"), ["p.v2.0.0", "p.v3.0.0"]);
        assert_eq!(meant("0.1.0"), ["p.v1.0.0"]);
        assert_eq!(meant("whatever").len(), 1);
    }
}
