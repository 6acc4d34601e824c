//! The rules of substitutions (operator-registry `alpha/template/substitutes`), for whoever renders a template and whoever
//! shows it.

use std::collections::HashSet;

use thiserror::Error;

use crate::{
    catalog::{
        blob::EntrySpec,
        names::BundleName,
        span::{Span, Spanned},
    },
    version::VersionRelease,
};

/// An item of `substitutions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Substitution {
    /// `name`: the image of the substitute.
    pub image: Spanned<String>,
    /// `base`: the bundle that it stands in for.
    pub base: Spanned<String>,
    /// The item.
    pub span: Span,
}

/// Why a substitution cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SubstitutionFault {
    /// Name or base is empty.
    #[error("the {0} of a substitution cannot be empty")]
    Absent(&'static str),
    /// Name and base are the same.
    #[error("name and base of a substitution are both {0}")]
    Itself(String),
    /// A name or a base that a substitution before has.
    #[error("{0} is in an earlier substitution already")]
    Again(String),
    /// No bundle is called so.
    #[error("no bundle is called {0} for the base of a substitution")]
    NoBase(String),
    /// The version does not go up.
    #[error("{version} of the substitute is not above {base_version} of {base}")]
    NotAbove {
        /// The version of the substitute.
        version: String,
        /// The bundle it would stand in for.
        base: String,
        /// The version of that.
        base_version: String,
    },
}

impl Substitution {
    /// Whether the version of the substitute is above that of its base.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub fn goes_up(&self, version: &VersionRelease, base: &VersionRelease) -> Result<(), SubstitutionFault> {
        if version.cmp_precedence(base).is_gt() {
            return Ok(());
        }
        let (version, base_version) = (version.to_string(), base.to_string());
        Err(SubstitutionFault::NotAbove { version, base: self.base.value.clone(), base_version })
    }
}

/// The names and bases of the substitutions so far.
#[derive(Debug, Default)]
pub struct Earlier {
    images: HashSet<String>,
    bases: HashSet<String>,
}

impl Earlier {
    /// Takes in the next substitution.
    ///
    /// # Errors
    ///
    /// When nothing can be substituted by it whatever the bundles are, and where that shows.
    pub fn admit(&mut self, next: &Substitution) -> Result<(), (SubstitutionFault, Span)> {
        let Substitution { image, base, span } = next;
        for (all, text) in [(&mut self.images, image), (&mut self.bases, base)] {
            if !all.insert(text.value.clone()) {
                return Err((SubstitutionFault::Again(text.value.clone()), text.span));
            }
        }
        for (name, text) in [("name", image), ("base", base)] {
            if text.value.is_empty() {
                return Err((SubstitutionFault::Absent(name), *span));
            }
        }
        if image.value == base.value {
            return Err((SubstitutionFault::Itself(base.value.clone()), *span));
        }
        Ok(())
    }
}

/// What becomes of an entry of a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Substituted {
    /// It is the base, and keeps its name only; the entry of the substitute asks for this.
    Base(EntrySpec),
    /// It led away from the base, and now asks for this.
    Redirected(EntrySpec),
    /// It has nothing to do with the base.
    Untouched,
}

/// What a substitution makes of an entry.
pub fn substituted(name: &str, mut asks: EntrySpec, base: &str, substitute: &BundleName) -> Substituted {
    let is_base = |name: &BundleName| name.as_str() == base;
    if name == base {
        asks.skips.push(base.into());
        return Substituted::Base(asks);
    }
    if asks.replaces.as_ref().is_some_and(is_base) {
        asks.replaces = Some(substitute.clone());
        asks.skips.push(base.into());
    } else if asks.skips.iter().any(is_base) {
        asks.skips.retain(|name| !is_base(name));
        asks.skips.push(substitute.clone());
    } else {
        return Substituted::Untouched;
    }
    Substituted::Redirected(asks)
}
