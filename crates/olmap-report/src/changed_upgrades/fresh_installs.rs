//! Changed fresh installs; those with the same change share a sentence.

use serde::Serialize;

use super::{MAX_LEADING_NAMES, is_false};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{FreshInstall, FreshInstallChange};
use olm_upgrade::{Engine, ResolveError};

/// Change of some fresh installs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreshInstallSentence {
    /// OLM that the sentence is about.
    pub engine: Engine,
    /// First channel of the sentence; `None` for v1 and for a Subscription without a channel.
    pub channel: Option<ChannelName>,
    /// Bundle that is installed now, or the previous one if nothing is installed now.
    pub bundle: Option<BundleName>,
    /// Affected fresh installs and their change.
    pub words: String,
}

/// Returns one sentence per change. `label` returns the display name of a bundle of a package.
pub fn describe_fresh_changes(
    changes: &[FreshInstallChange],
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<FreshInstallSentence> {
    let mut groups: Vec<Vec<&FreshInstallChange>> = Vec::new();
    for change in changes {
        match groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| have_same_change(first, change)))
        {
            Some(group) => group.push(change),
            None => groups.push(vec![change]),
        }
    }
    let sentence = |group: Vec<&FreshInstallChange>| {
        let first = *group.first()?;
        let label = |name: &BundleName| label(&first.package, name);
        let places: Vec<&str> =
            group.iter().map(|change| change.channel.as_ref().map_or("no channel", |c| c.as_str())).collect();
        let places = match first.engine {
            // A long list of channels is shortened so that the change is not overlooked.
            Engine::Classic if places.len() > MAX_LEADING_NAMES => {
                let (first, more) = places.split_at(MAX_LEADING_NAMES - 1);
                format!(" ({} and {} more)", first.join(", "), more.len())
            }
            Engine::Classic => format!(" ({})", places.join(", ")),
            Engine::V1 => String::new(),
        };
        let before = match &first.before.pick {
            Err(ResolveError::NoChannel(_)) => "new channel".to_owned(),
            _ => describe_fresh_install(&first.before, &label, changes_source_channel(first)),
        };
        let after = match &first.after.pick {
            Err(ResolveError::NoChannel(_)) => "channel removed".to_owned(),
            _ => describe_fresh_install(&first.after, &label, changes_source_channel(first)),
        };
        let picked = first.after.pick.as_ref().or(first.before.pick.as_ref()).ok();
        Some(FreshInstallSentence {
            engine: first.engine,
            channel: group.iter().find_map(|change| change.channel.clone()),
            bundle: picked.cloned(),
            words: format!("fresh install{places}: {before} => {after}"),
        })
    };
    groups.into_iter().filter_map(sentence).collect()
}

/// Returns true if a Subscription without a channel installs from another channel than before.
fn changes_source_channel(change: &FreshInstallChange) -> bool {
    change.before.from != change.after.from
}

fn have_same_change(a: &FreshInstallChange, b: &FreshInstallChange) -> bool {
    let gets = |install: &FreshInstall| (install.pick.clone(), install.refused);
    (&a.package, a.engine, changes_source_channel(a), changes_source_channel(b))
        == (&b.package, b.engine, false, false)
        && gets(&a.before) == gets(&b.before)
        && gets(&a.after) == gets(&b.after)
}

fn describe_fresh_install(
    install: &FreshInstall,
    label: &impl Fn(&BundleName) -> String,
    with_channel: bool,
) -> String {
    let from = install.from.as_ref().filter(|_| with_channel);
    let from = from.map(|channel| format!(" from {channel}")).unwrap_or_default();
    match (&install.pick, install.refused) {
        (Ok(bundle), None) => format!("{}{from}", label(bundle)),
        (Ok(bundle), Some(why)) => format!("{}, which v1 REFUSES ({})", label(bundle), why.brief()),
        (Err(error), _) => format!("error: {error}"),
    }
}

/// Changed fresh install as JSON prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    before: Side,
    after: Side,
}

#[derive(Debug, Serialize)]
struct Side {
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Channel that Classic installs from if the Subscription does not name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    refused: bool,
}

impl Row {
    /// Returns the row of a fresh install.
    pub fn from_fresh_change(change: &FreshInstallChange) -> Self {
        let side = |install: &FreshInstall| Side {
            pick: install.pick.as_ref().ok().map(ToString::to_string),
            error: install.pick.as_ref().err().map(ToString::to_string),
            from: install.from.as_ref().map(ToString::to_string),
            refused: install.refused.is_some(),
        };
        Self {
            package: change.package.to_string(),
            engine: change.engine.as_str(),
            channel: change.channel.as_ref().map(ToString::to_string),
            before: side(&change.before),
            after: side(&change.after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_install(pick: &str, from: Option<&str>) -> FreshInstall {
        FreshInstall { pick: Ok(pick.into()), from: from.map(Into::into), refused: None }
    }

    fn classic_change(
        channel: Option<&str>,
        before: FreshInstall,
        after: FreshInstall,
    ) -> FreshInstallChange {
        let channel = channel.map(Into::into);
        FreshInstallChange { package: "p".into(), engine: Engine::Classic, channel, before, after }
    }

    fn sentence_words(changes: &[FreshInstallChange]) -> Vec<String> {
        describe_fresh_changes(changes, |_, name| name.to_string())
            .into_iter()
            .map(|sentence| sentence.words)
            .collect()
    }

    #[test]
    fn channels_with_the_same_head_share_a_sentence() {
        let changes = [
            classic_change(None, sample_install("a", Some("stable")), sample_install("b", Some("stable"))),
            classic_change(Some("fast"), sample_install("a", None), sample_install("c", None)),
            classic_change(Some("stable"), sample_install("a", None), sample_install("b", None)),
        ];
        assert_eq!(
            sentence_words(&changes),
            ["fresh install (no channel, stable): a => b", "fresh install (fast): a => c"]
        );
    }

    #[test]
    fn another_default_channel_is_named_with_the_old_one() {
        let changes = [
            classic_change(None, sample_install("a", Some("stable")), sample_install("b", Some("nightly"))),
            classic_change(Some("stable"), sample_install("a", None), sample_install("b", None)),
        ];
        assert_eq!(
            sentence_words(&changes),
            ["fresh install (no channel): a from stable => b from nightly", "fresh install (stable): a => b"]
        );
    }

    #[test]
    fn added_and_removed_channels_are_named() {
        let none = |name: &str| FreshInstall {
            pick: Err(ResolveError::NoChannel(name.into())),
            from: None,
            refused: None,
        };
        let changes = [
            classic_change(Some("new"), none("new"), sample_install("a", None)),
            classic_change(Some("old"), sample_install("a", None), none("old")),
        ];
        assert_eq!(
            sentence_words(&changes),
            ["fresh install (new): new channel => a", "fresh install (old): a => channel removed"]
        );
    }
}
