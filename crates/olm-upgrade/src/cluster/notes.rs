//! Notes on answers of a cluster that its users do not expect.

use std::fmt;

use super::{CatalogOutcome, ClusterAnswer, ClusterCandidate, ClusterError};
use olm_catalog::BundleName;

/// Note on an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterNote {
    /// Several catalogs have a bundle that matches, so the extension reports an error. One of them alone would
    /// keep it or upgrade it.
    SecondCatalogStops {
        /// Catalogs with a bundle that matches.
        catalogs: Vec<String>,
    },
    /// A catalog of higher priority has only the installed version, so there is no upgrade.
    HigherPriorityStops {
        /// The catalog.
        catalog: String,
        /// Catalog with a higher version.
        other: String,
        /// Bundle with the higher version.
        newer: BundleName,
        /// Its version as text.
        version: String,
    },
    /// The policy `SelfCertified` lets v1 pick a lower version.
    Downgrade {
        /// Picked bundle.
        pick: BundleName,
        /// Its catalog.
        catalog: String,
    },
}

impl ClusterNote {
    /// Returns the word in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SecondCatalogStops { .. } => "second-catalog-stops",
            Self::HigherPriorityStops { .. } => "higher-priority-stops",
            Self::Downgrade { .. } => "downgrade",
        }
    }
}

impl fmt::Display for ClusterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SecondCatalogStops { catalogs } => write!(
                f,
                "{} each have a bundle that matches, so the extension reports an error: select one catalog, or \
                 give one a higher priority",
                catalogs.join(" and ")
            ),
            Self::HigherPriorityStops { catalog, other, newer, version } => write!(
                f,
                "{other} has {newer}, but {catalog} has a higher priority and only the installed version: the \
                 upgrade stops without an error. Pin version >={version}, or select {other}"
            ),
            Self::Downgrade { pick, catalog } => {
                write!(
                    f,
                    "{pick} from {catalog} is lower than the installed version: SelfCertified allows a downgrade"
                )
            }
        }
    }
}

impl ClusterAnswer {
    /// Returns the notes on the answer.
    pub fn find_notes(&self) -> Vec<ClusterNote> {
        if self.installed.is_none() {
            return Vec::new();
        }
        let mut notes = Vec::new();
        if let Some(ClusterError::Ambiguous(catalogs)) = &self.error {
            notes.push(ClusterNote::SecondCatalogStops { catalogs: catalogs.clone() });
        }
        let Some(pick) = &self.pick else { return notes };
        let catalog = pick.catalog.name.clone();
        if self.is_downgrade() {
            notes.push(ClusterNote::Downgrade { pick: pick.bundle_name().clone(), catalog: catalog.clone() });
        }
        if self.keeps_installed()
            && let Some(newer) = self.highest_outranked()
            && let Some((own, version)) = pick.version().zip(newer.version())
            && version.cmp_precedence(&own).is_gt()
        {
            notes.push(ClusterNote::HigherPriorityStops {
                catalog,
                other: newer.catalog.name.clone(),
                newer: newer.bundle_name().clone(),
                version: newer.version_text().unwrap_or_default().to_owned(),
            });
        }
        notes
    }

    /// Returns the candidate with the highest version in catalogs of lower priority.
    fn highest_outranked(&self) -> Option<&ClusterCandidate> {
        let outranked = self.considered.iter().filter_map(|considered| match &considered.outcome {
            CatalogOutcome::LowerPriority(candidate) => Some((candidate.version()?, candidate)),
            _ => None,
        });
        outranked.max_by(|(a, _), (b, _)| a.cmp_precedence(b)).map(|(_, candidate)| candidate)
    }
}
