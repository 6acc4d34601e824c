//! Promotion: possible edges of a bundle that becomes the new head of a channel.

use super::{ChannelGraph, PackageGraph};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{Entry, EntrySpec},
    package::Package,
};
use olm_version::blang::Range;

/// Edges that a channel offers to its new head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeOffer {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Current head; `None` if the channel is empty.
    pub head: Option<BundleName>,
    /// Edges of the current head, plus a skip of that head. `None` if the head does not skip anything.
    pub head_edges: Option<EntrySpec>,
    /// skipRange of the current head, extended to the new version. `None` if the head's range does not end at its own
    /// version.
    pub range: Option<String>,
}

/// Reason why a bundle cannot become the head of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// The package does not have the bundle.
    #[error("is not a bundle of the package")]
    NoBundle,
    /// The package does not have the channel.
    #[error("cannot be added: the package has no such channel")]
    NoChannel,
    /// The channel already contains the bundle.
    #[error("is already an entry")]
    AlreadyThere,
    /// The channel does not have exactly one head to replace.
    #[error("does not have exactly one head: add the entry manually")]
    NoSingleHead,
}

/// Selection of the offered edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OfferChoice {
    /// Takes over the edges of the head ([`EdgeOffer::head_edges`]) instead of replacing it.
    pub take_head_edges: bool,
    /// Adds [`EdgeOffer::range`].
    pub extend_range: bool,
}

/// Returns the edges that a channel offers to a bundle.
///
/// # Errors
///
/// Fails if the package does not have the bundle, if the bundle is already an entry, or if a channel with entries does not
/// have exactly one head.
pub fn offer_edges(
    package: &Package,
    channel: &ChannelGraph,
    bundle: &BundleName,
) -> Result<EdgeOffer, OfferError> {
    if channel.entry_named(bundle.as_str()).is_some() {
        return Err(OfferError::AlreadyThere);
    }
    if package.bundle(bundle.as_str()).is_none() {
        return Err(OfferError::NoBundle);
    }
    let head = channel.head_node().and_then(|at| channel.entry(at));
    if head.is_none() && channel.entry_nodes().next().is_some() {
        return Err(OfferError::NoSingleHead);
    }
    Ok(EdgeOffer {
        channel: channel.name().clone(),
        head: head.map(|head| head.name.value.clone()),
        head_edges: head.filter(|head| !head.skips.is_empty()).map(|head| {
            let EntrySpec { replaces, mut skips, .. } = head.to_spec();
            skips.insert(0, head.name.value.clone());
            EntrySpec { replaces, skips, skip_range: None }
        }),
        range: head.and_then(|head| extend_head_range(package, head, bundle)),
    })
}

impl PackageGraph {
    /// Returns the edges that a channel offers to a bundle of the package, by name. See [`offer_edges`].
    ///
    /// # Errors
    ///
    /// As [`offer_edges`], and if the package does not have the channel.
    pub fn offer_edges(&self, channel: &str, bundle: &BundleName) -> Result<EdgeOffer, OfferError> {
        let channel = self.channel(channel).ok_or(OfferError::NoChannel)?;
        offer_edges(&self.package, &channel.graph, bundle)
    }
}

/// Extends the head's range to the new version if it ends at the head's version. `>=1.0.0 <1.2.0` of 1.2.0 becomes `>=1.0.0
/// <1.3.0`.
fn extend_head_range(package: &Package, head: &Entry, bundle: &BundleName) -> Option<String> {
    let text = &head.skip_range.as_ref()?.text.value;
    let own = package.bundle_version(head.name.value.as_str())?.version.to_string();
    let new = package.bundle_version(bundle.as_str())?.version.to_string();
    let before = text.trim_end().strip_suffix(&own)?;
    let range = before.ends_with('<').then(|| format!("{before}{new}"))?;
    // The range is empty if the new version is below its lower bound.
    Range::parse(&range).ok().filter(|range| !range.is_empty()).map(|_| range)
}

impl EdgeOffer {
    /// Returns the edges for a selection.
    pub fn build_spec(&self, wish: OfferChoice) -> EntrySpec {
        let replacing = EntrySpec { replaces: self.head.clone(), ..EntrySpec::default() };
        let spec = self.head_edges.clone().filter(|_| wish.take_head_edges).unwrap_or(replacing);
        EntrySpec { skip_range: self.range.clone().filter(|_| wish.extend_range), ..spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn offer_to_new_head(lines: &str) -> Result<EdgeOffer, OfferError> {
        let graph = fixture::graph_from_channels(&[("c", lines), ("d", "9.9.9")]);
        let channel = &graph.channel("c").unwrap().graph;
        offer_edges(&graph.package, channel, &"p.v9.9.9".into())
    }

    fn expected_spec(replaces: &str, skips: &[&str], range: Option<&str>) -> EntrySpec {
        let bundle = |version: &str| BundleName::from(format!("p.v{version}"));
        EntrySpec {
            replaces: Some(bundle(replaces)),
            skips: skips.iter().map(|skip| bundle(skip)).collect(),
            skip_range: range.map(str::to_owned),
        }
    }

    #[test]
    fn offers_only_replaces_if_head_has_no_skips_or_range() {
        let offer = offer_to_new_head("1.0.0\n1.1.0 replaces=1.0.0").unwrap();
        assert_eq!(
            offer.build_spec(OfferChoice { take_head_edges: true, extend_range: true }),
            expected_spec("1.1.0", &[], None)
        );
    }

    #[test]
    fn offers_skips_and_range_if_head_has_them() {
        let offer =
            offer_to_new_head("1.0.0\n1.0.1\n1.0.2 replaces=1.0.0 skips=1.0.1 range=>=0.9.0_<1.0.2").unwrap();
        assert_eq!(offer.build_spec(OfferChoice::default()), expected_spec("1.0.2", &[], None));
        let range = Some(">=0.9.0 <9.9.9");
        assert_eq!(
            offer.build_spec(OfferChoice { take_head_edges: true, extend_range: true }),
            expected_spec("1.0.0", &["1.0.2", "1.0.1"], range)
        );
        assert_eq!(
            offer.build_spec(OfferChoice { take_head_edges: false, extend_range: true }),
            expected_spec("1.0.2", &[], range)
        );
    }

    #[test]
    fn does_not_offer_range_that_does_not_end_at_its_entry() {
        for range in ["<1.1.0", "<=1.0.0", "<11.0.0", ">1.0.0"] {
            assert_eq!(offer_to_new_head(&format!("1.0.0 range={range}")).unwrap().range, None, "{range}");
        }
    }

    #[test]
    fn does_not_offer_empty_range() {
        let offered = |range: &str| {
            let graph =
                fixture::graph_from_channels(&[("c", &format!("2.5.14 range={range}")), ("d", "2.2.5")]);
            let channel = &graph.channel("c").unwrap().graph;
            offer_edges(&graph.package, channel, &"p.v2.2.5".into()).unwrap().range
        };
        assert_eq!(offered(">=2.4.18_<2.5.14"), None);
        assert_eq!(offered(">=2.0.0_<2.5.14").as_deref(), Some(">=2.0.0 <2.2.5"));
    }

    #[test]
    fn refuses_bundle_that_the_package_does_not_have() {
        let graph = fixture::graph_from_channels(&[("c", "1.0.0"), ("d", "9.9.9")]);
        assert_eq!(graph.offer_edges("c", &"nosuch".into()), Err(OfferError::NoBundle));
        assert_eq!(graph.offer_edges("nosuch", &"p.v9.9.9".into()), Err(OfferError::NoChannel));
        assert_eq!(graph.offer_edges("c", &"p.v9.9.9".into()).unwrap().head, Some("p.v1.0.0".into()));
    }

    #[test]
    fn refuses_existing_entry_and_several_heads() {
        assert_eq!(offer_to_new_head("1.0.0\n1.1.0").unwrap_err(), OfferError::NoSingleHead);
        assert_eq!(offer_to_new_head("9.9.9").unwrap_err(), OfferError::AlreadyThere);
    }
}
