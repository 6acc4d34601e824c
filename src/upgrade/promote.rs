//! Promotion: the edges a bundle may get where it becomes the new head of a channel.

use super::ChannelGraph;
use crate::catalog::{
    BundleName, ChannelName,
    blob::{Entry, EntrySpec},
    package::Package,
};
use crate::version::blang::Range;

/// What a channel has to offer to a bundle that is to become its head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The channel.
    pub channel: ChannelName,
    /// The head it would replace; `None` in a channel without entries.
    pub head: Option<BundleName>,
    /// The edges of the head, which itself is skipped from then on: offered where the head skips something.
    pub instead: Option<EntrySpec>,
    /// The head's skipRange up to the new version: offered where the head's ends at its own.
    pub range: Option<String>,
}

/// Why a bundle cannot become the head of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// It is in there.
    #[error("is already an entry")]
    AlreadyThere,
    /// Nobody can say which one it would replace.
    #[error("does not have exactly one head: add the entry manually")]
    NoSingleHead,
}

/// Which of the offered edges are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// Take the head's place ([`Offer::instead`]) and not only replace it.
    pub instead: bool,
    /// Take [`Offer::range`] too.
    pub range: bool,
}

/// What a channel offers to a bundle.
///
/// # Errors
///
/// When it cannot become the channel's head without a decision that only people can make.
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

/// The head's range with the new version where its own ends it: `>=1.0.0 <1.2.0` of 1.2.0 becomes `>=1.0.0 <1.3.0`.
fn range_up_to(package: &Package, head: &Entry, bundle: &BundleName) -> Option<String> {
    let text = &head.skip_range.as_ref()?.text.value;
    let own = package.version_of(head.name.value.as_str())?.version.to_string();
    let new = package.version_of(bundle.as_str())?.version.to_string();
    let before = text.trim_end().strip_suffix(&own)?;
    let range = before.ends_with('<').then(|| format!("{before}{new}"))?;
    // Below where the head's begins there is nothing to take over.
    Range::parse(&range).ok().filter(|range| !range.is_empty()).map(|_| range)
}

impl Offer {
    /// The edges that are wanted of those that are offered.
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
    fn a_bundle_replaces_the_head_and_nothing_else_unless_it_is_wished() {
        let offer = offered("1.0.0\n1.1.0 replaces=1.0.0").unwrap();
        assert_eq!(offer.spec(Wish { instead: true, range: true }), spec("1.1.0", &[], None));
    }

    #[test]
    fn a_channel_that_uses_skips_and_ranges_offers_them() {
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
    fn a_range_that_does_not_end_at_its_entry_is_not_guessed() {
        for range in ["<1.1.0", "<=1.0.0", "<11.0.0", ">1.0.0"] {
            assert_eq!(offered(&format!("1.0.0 range={range}")).unwrap().range, None, "{range}");
        }
    }

    #[test]
    fn a_range_that_would_hold_nothing_is_not_offered() {
        let offered = |range: &str| {
            let graph = fixture::channels(&[("c", &format!("2.5.14 range={range}")), ("d", "2.2.5")]);
            let channel = &graph.channel("c").unwrap().graph;
            offer(&graph.package, channel, &"p.v2.2.5".into()).unwrap().range
        };
        assert_eq!(offered(">=2.4.18_<2.5.14"), None);
        assert_eq!(offered(">=2.0.0_<2.5.14").as_deref(), Some(">=2.0.0 <2.2.5"));
    }

    #[test]
    fn what_only_people_can_decide_is_refused() {
        assert_eq!(offered("1.0.0\n1.1.0").unwrap_err(), Refusal::NoSingleHead);
        assert_eq!(offered("9.9.9").unwrap_err(), Refusal::AlreadyThere);
    }
}
