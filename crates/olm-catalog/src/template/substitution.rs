//! Rules of substitutions (operator-registry `alpha/template/substitutes`), shared by rendering and display.

use std::collections::HashSet;

use thiserror::Error;

use crate::{
    blob::EntrySpec,
    names::BundleName,
    span::{Span, Spanned},
};
use olm_version::VersionRelease;

/// An item of `substitutions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Substitution {
    /// `name`: image of the substitute.
    pub image: Spanned<String>,
    /// `base`: the bundle that it replaces.
    pub base: Spanned<String>,
    /// Span of the item.
    pub span: Span,
}

/// Reason why a substitution is impossible.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SubstitutionError {
    /// Name or base is empty.
    #[error("the {0} of a substitution cannot be empty")]
    Absent(&'static str),
    /// Name and base are the same.
    #[error("name and base of a substitution are both {0}")]
    Itself(String),
    /// An earlier substitution has the same name or base.
    #[error("{0} is in an earlier substitution already")]
    Again(String),
    /// The base bundle does not exist.
    #[error("no bundle is called {0} for the base of a substitution")]
    NoBase(String),
    /// The version of the substitute is not higher.
    #[error("{version} of the substitute is not above {base_version} of {base}")]
    NotAbove {
        /// Version of the substitute.
        version: String,
        /// Base bundle.
        base: String,
        /// Version of the base bundle.
        base_version: String,
    },
}

impl Substitution {
    /// Checks that the version of the substitute is higher than that of its base.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn check_version(
        &self,
        version: &VersionRelease,
        base: &VersionRelease,
    ) -> Result<(), SubstitutionError> {
        if version.cmp_precedence(base).is_gt() {
            return Ok(());
        }
        let (version, base_version) = (version.to_string(), base.to_string());
        Err(SubstitutionError::NotAbove { version, base: self.base.value.clone(), base_version })
    }
}

/// Names and bases of the substitutions so far.
#[derive(Debug, Default)]
pub struct SubstitutionChecker {
    images: HashSet<String>,
    bases: HashSet<String>,
}

impl SubstitutionChecker {
    /// Adds the next substitution.
    ///
    /// # Errors
    ///
    /// If it is impossible for any bundles, with the span of the cause.
    pub fn check_next(&mut self, next: &Substitution) -> Result<(), (SubstitutionError, Span)> {
        let Substitution { image, base, span } = next;
        for (all, text) in [(&mut self.images, image), (&mut self.bases, base)] {
            if !all.insert(text.value.clone()) {
                return Err((SubstitutionError::Again(text.value.clone()), text.span));
            }
        }
        for (name, text) in [("name", image), ("base", base)] {
            if text.value.is_empty() {
                return Err((SubstitutionError::Absent(name), *span));
            }
        }
        if image.value == base.value {
            return Err((SubstitutionError::Itself(base.value.clone()), *span));
        }
        Ok(())
    }
}

/// Effect of a substitution on a channel entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SubstitutionEffect {
    /// The entry is the base. It keeps only its name, and the entry of the substitute gets these edges.
    Base(EntrySpec),
    /// The entry had an edge from the base, and now has these edges.
    Redirected(EntrySpec),
    /// The entry is unrelated to the base.
    Untouched,
}

/// Computes the effect of a substitution on an entry.
pub fn apply_substitution(
    name: &str,
    mut asks: EntrySpec,
    base: &str,
    substitute: &BundleName,
) -> SubstitutionEffect {
    let is_base = |name: &BundleName| name.as_str() == base;
    if name == base {
        asks.skips.push(base.into());
        return SubstitutionEffect::Base(asks);
    }
    if asks.replaces.as_ref().is_some_and(is_base) {
        asks.replaces = Some(substitute.clone());
        asks.skips.push(base.into());
    } else if asks.skips.iter().any(is_base) {
        asks.skips.retain(|name| !is_base(name));
        asks.skips.push(substitute.clone());
    } else {
        return SubstitutionEffect::Untouched;
    }
    SubstitutionEffect::Redirected(asks)
}
