//! Promotion: possible edges of a bundle that becomes the new head of a channel.

use super::ChannelGraph;
use crate::catalog::{
    BundleName, ChannelName,
    blob::{Entry, EntrySpec},
    package::Package,
};
use crate::version::blang::Range;

/// Edges that a channel offers to its new head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Current head; `None` if the channel is empty.
    pub head: Option<BundleName>,
    /// Edges of the current head, plus a skip of that head. `None` if the head does not skip anything.
    pub instead: Option<EntrySpec>,
    /// skipRange of the current head, extended to the new version. `None` if the head's range does not end at its own
    /// version.
    pub range: Option<String>,
}

/// Reason why a bundle cannot become the head of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The channel already contains the bundle.
    #[error("is already an entry")]
    AlreadyThere,
    /// The channel does not have exactly one head to replace.
    #[error("does not have exactly one head: add the entry manually")]
    NoSingleHead,
}

/// Selection of the offered edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// Takes over the edges of the head ([`Offer::instead`]) instead of replacing it.
    pub instead: bool,
    /// Adds [`Offer::range`].
    pub range: bool,
}

/// Returns the edges that a channel offers to a bundle.
///
/// # Errors
///
/// Fails if the bundle is already an entry, or if a channel with entries does not have exactly one head.
pub fn offer(package: &Package, channel: &ChannelGraph, bundle: &BundleName) -> Result<Offer, Refusal> {
    if channel.entry_named(bundle.as_str()).is_some() {
        return Err(Refusal::AlreadyThere);
    }
    let head = channel.head().and_then(|at| channel.entry(at));
    if head.is_none() && channel.entries().next().is_some() {
        return Err(Refusal::NoSingleHead);
    }
    Ok(Offer {
        channel: channel.name().clone(),
        head: head.map(|head| head.name.value.clone()),
        instead: head.filter(|head| !head.skips.is_empty()).map(|head| {
            let EntrySpec { replaces, mut skips, .. } = head.spec();
            skips.insert(0, head.name.value.clone());
            EntrySpec { replaces, skips, skip_range: None }
        }),
        range: head.and_then(|head| range_up_to(package, head, bundle)),
    })
}

/// Extends the head's range to the new version if it ends at the head's version. `>=1.0.0 <1.2.0` of 1.2.0 becomes `>=1.0.0
/// <1.3.0`.
fn range_up_to(package: &Package, head: &Entry, bundle: &BundleName) -> Option<String> {
    let text = &head.skip_range.as_ref()?.text.value;
    let own = package.version_of(head.name.value.as_str())?.version.to_string();
    let new = package.version_of(bundle.as_str())?.version.to_string();
    let before = text.trim_end().strip_suffix(&own)?;
    let range = before.ends_with('<').then(|| format!("{before}{new}"))?;
    // The range is empty if the new version is below its lower bound.
    Range::parse(&range).ok().filter(|range| !range.is_empty()).map(|_| range)
}

impl Offer {
    /// Returns the edges for a selection.
    pub fn spec(&self, wish: Wish) -> EntrySpec {
        let replacing = EntrySpec { replaces: self.head.clone(), ..EntrySpec::default() };
        let spec = self.instead.clone().filter(|_| wish.instead).unwrap_or(replacing);
        EntrySpec { skip_range: self.range.clone().filter(|_| wish.range), ..spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::fixture;

    fn offered(lines: &str) -> Result<Offer, Refusal> {
        let graph = fixture::channels(&[("c", lines), ("d", "9.9.9")]);
        let channel = &graph.channel("c").unwrap().graph;
        offer(&graph.package, channel, &"p.v9.9.9".into())
    }

    fn spec(replaces: &str, skips: &[&str], range: Option<&str>) -> EntrySpec {
        let bundle = |version: &str| BundleName::from(format!("p.v{version}"));
        EntrySpec {
            replaces: Some(bundle(replaces)),
            skips: skips.iter().map(|skip| bundle(skip)).collect(),
            skip_range: range.map(str::to_owned),
        }
    }

    #[test]
    fn offers_only_replaces_if_head_has_no_skips_or_range() {
        let offer = offered("1.0.0\n1.1.0 replaces=1.0.0").unwrap();
        assert_eq!(offer.spec(Wish { instead: true, range: true }), spec("1.1.0", &[], None));
    }

    #[test]
    fn offers_skips_and_range_if_head_has_them() {
        let offer = offered("1.0.0\n1.0.1\n1.0.2 replaces=1.0.0 skips=1.0.1 range=>=0.9.0_<1.0.2").unwrap();
        assert_eq!(offer.spec(Wish::default()), spec("1.0.2", &[], None));
        let range = Some(">=0.9.0 <9.9.9");
        assert_eq!(
            offer.spec(Wish { instead: true, range: true }),
            spec("1.0.0", &["1.0.2", "1.0.1"], range)
        );
        assert_eq!(offer.spec(Wish { instead: false, range: true }), spec("1.0.2", &[], range));
    }

    #[test]
    fn does_not_offer_range_that_does_not_end_at_its_entry() {
        for range in ["<1.1.0", "<=1.0.0", "<11.0.0", ">1.0.0"] {
            assert_eq!(offered(&format!("1.0.0 range={range}")).unwrap().range, None, "{range}");
        }
    }

    #[test]
    fn does_not_offer_empty_range() {
        let offered = |range: &str| {
            let graph = fixture::channels(&[("c", &format!("2.5.14 range={range}")), ("d", "2.2.5")]);
            let channel = &graph.channel("c").unwrap().graph;
            offer(&graph.package, channel, &"p.v2.2.5".into()).unwrap().range
        };
        assert_eq!(offered(">=2.4.18_<2.5.14"), None);
        assert_eq!(offered(">=2.0.0_<2.5.14").as_deref(), Some(">=2.0.0 <2.2.5"));
    }

    #[test]
    fn refuses_existing_entry_and_several_heads() {
        assert_eq!(offered("1.0.0\n1.1.0").unwrap_err(), Refusal::NoSingleHead);
        assert_eq!(offered("9.9.9").unwrap_err(), Refusal::AlreadyThere);
    }
}
