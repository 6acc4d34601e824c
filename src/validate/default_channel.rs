//! Whether users of other channels get to the head of the default channel.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry::Vacant},
    sync::Arc,
};

use super::{
    channel,
    diagnostic::Diagnostic,
    findings::Findings,
    rules,
    subject::Subject,
    words::{count, list},
};
use crate::{
    catalog::{
        BundleName, ChannelName,
        blob::{ChannelBlob, DeprecationTarget, Entry},
    },
    upgrade::{Installed, PackageGraph, classic, package::ChannelUpgrades},
};

/// One finding for a package: channels that are left behind are so together, and most often for one cause.
///
/// A channel whose head is as new as the default one, or newer, is ahead and not left behind; a deprecated one says
/// itself
/// that users should leave it. Users may change the channel of their Subscription as often as they like, so a
/// channel from
/// which a third one leads on is not meant: older maintained lines mostly lead into the next one.
pub(super) fn no_way(s: &Subject<'_>, found: &mut Findings) {
    let Some(default) = s.default_channel().filter(|_| s.graph.channels().len() > 1) else { return };
    let Some((goal, top)) = head(default).and_then(|head| Some((head, s.version(&head.name.value)?))) else {
        return;
    };
    let name = &goal.name.value;
    let is_known = |channel: &ChannelBlob| !s.is_partly_unread(channel.doc);
    if s.package.deprecation(&DeprecationTarget::Package).is_some()
        || !s.walks.iter().all(|walk| channel::is_sound(walk) && is_known(walk.channel))
    {
        return;
    }
    let is_lower =
        |name: &BundleName| s.version(name).is_some_and(|version| version.cmp_precedence(top).is_lt());
    let mut search = Search::new(s.graph, name);
    let mut behind: Vec<(&ChannelBlob, &BundleName)> = Vec::new();
    for upgrades in s.graph.channels() {
        let channel = &upgrades.graph.channel;
        let Some(head) = head(upgrades).map(|head| &head.name.value) else { continue };
        if upgrades.graph.entry_named(name.as_str()).is_none()
            && is_lower(head)
            && s.package.channel_deprecation(&channel.name.value).is_none()
            // The head first: most get there from it, and then nothing else has to be asked.
            && !std::iter::once(head).chain(names(upgrades)).any(|from| search.arrives(from))
        {
            behind.push((channel, head));
        }
    }
    let rank = s.newest_first(behind.iter().map(|(_, head)| *head));
    let rank = |head: &BundleName| rank.iter().position(|other| *other == head);
    behind.sort_by_key(|(channel, head)| (rank(head), &channel.name.value));
    report(s, default.graph.name(), goal, &behind, found);
}

fn report(
    s: &Subject<'_>,
    default: &ChannelName,
    goal: &Entry,
    behind: &[(&ChannelBlob, &BundleName)],
    found: &mut Findings,
) {
    let Some(((first, _), more)) = behind.split_first() else { return };
    let channels = behind.iter().filter_map(|(channel, _)| s.graph.channel(channel.name.value.as_str()));
    let left: BTreeSet<&BundleName> = channels.flat_map(names).collect();
    let goal_name = &goal.name.value;
    let message = format!(
        "{} of {} have no upgrade path to {goal_name}, the head of the default channel {default}, even by \
         changing channels: those of {} {}",
        left.len(),
        count(s.package.bundles.len(), "version", "versions"),
        if more.is_empty() { "channel" } else { "channels" },
        list(behind.iter().map(|(channel, _)| &channel.name.value))
    );
    let mut finding = Diagnostic::new(&rules::NO_WAY_TO_DEFAULT_CHANNEL, message)
        .channel(&first.name.value)
        .names(behind.iter().map(|(channel, _)| &channel.name.value))
        .at(first.doc, first.name.span);
    for (channel, head) in more {
        let text = format!("also channel {}, whose head is {head}", channel.name.value);
        finding = finding.related(text, channel.doc, channel.name.span);
    }
    let heads: Vec<&BundleName> = behind.iter().map(|(_, head)| *head).collect();
    if let Some(help) = opening(s, default, goal, &heads, &left) {
        finding = finding.help(help);
    }
    found.push(finding);
}

/// The least that opens a way: the goal skips the heads that users of those channels get to. Tried out before it is
/// said.
fn opening(
    s: &Subject<'_>,
    default: &ChannelName,
    goal: &Entry,
    heads: &[&BundleName],
    left: &BTreeSet<&BundleName>,
) -> Option<String> {
    let name = &goal.name.value;
    let mut spec = goal.spec();
    for head in heads {
        if !spec.skips.contains(head) {
            spec.skips.push((*head).clone());
        }
    }
    let after = PackageGraph::new(&Arc::new(s.package.with_entry(default, name, &spec)?));
    let mut was = Search::new(s.graph, name);
    let mut is = Search::new(&after, name);
    let mut all = s.package.bundles.iter().map(|bundle| &bundle.name.value);
    if !all.all(|bundle| is.arrives(bundle) || !was.arrives(bundle)) {
        return None;
    }
    let freed = left.iter().filter(|bundle| is.arrives(bundle)).count();
    let then = match left.len() - freed {
        _ if freed == 0 => return None,
        0 if freed == 1 => "then it has one".to_owned(),
        0 => "then all have one".to_owned(),
        _ => format!("then {freed} of {} have one", left.len()),
    };
    let mut heads = s.newest_first(heads.iter().copied());
    heads.dedup();
    Some(format!("make {name} in {default} skip {}: {then}", list(heads)))
}

fn head(upgrades: &ChannelUpgrades) -> Option<&Entry> {
    upgrades.graph.entry(*upgrades.chain.as_ref().ok()?.order.first()?)
}

fn names(upgrades: &ChannelUpgrades) -> impl Iterator<Item = &BundleName> {
    let entries = upgrades.graph.entries().filter_map(|at| upgrades.graph.entry(at));
    entries.map(|entry| &entry.name.value).filter(|name| !name.as_str().is_empty())
}

/// Where OLM Classic takes users who may change their channel.
struct Search<'g> {
    graph: &'g PackageGraph,
    /// Those of whom it is known whether they arrive.
    known: HashMap<BundleName, bool>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g PackageGraph, goal: &BundleName) -> Self {
        Self { graph, known: HashMap::from([(goal.clone(), true)]) }
    }

    fn arrives(&mut self, from: &BundleName) -> bool {
        let graph = self.graph;
        let mut open = vec![from];
        // Each with the one from which it was reached.
        let mut seen: HashMap<&BundleName, Option<&BundleName>> = HashMap::from([(from, None)]);
        while let Some(at) = open.pop() {
            match self.known.get(at) {
                Some(false) => continue,
                Some(true) => {
                    let way = std::iter::successors(Some(at), |at| seen.get(at).copied().flatten());
                    self.known.extend(way.map(|on_the_way| (on_the_way.clone(), true)));
                    return true;
                }
                None => {}
            }
            let installed = Installed::of(&graph.package, at);
            for upgrades in graph.channels() {
                let Ok(chain) = &upgrades.chain else { continue };
                let pick = classic::pick(&upgrades.graph, chain, &installed);
                let next = pick.and_then(|pick| upgrades.graph.entry(pick)).map(|entry| &entry.name.value);
                if let Some(next) = next
                    && let Vacant(slot) = seen.entry(next)
                {
                    slot.insert(Some(at));
                    open.push(next);
                }
            }
        }
        self.known.extend(seen.into_keys().map(|stuck| (stuck.clone(), false)));
        false
    }
}
