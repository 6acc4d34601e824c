//! What every picture for other programs says of a bundle, in words: classes and colours alone say nothing.

use petgraph::graph::NodeIndex;

use crate::{
    catalog::blob::DeprecationTarget,
    layout::{Marks, Options, layout},
    upgrade::{PackageGraph, package::ChannelUpgrades},
};

/// A bundle and what holds of it.
pub(super) struct Marked {
    pub(super) at: NodeIndex,
    pub(super) marks: Marks,
}

impl Marked {
    /// The words to set below its name, the most important first.
    pub(super) fn words(&self) -> Vec<&'static str> {
        let marks = &self.marks;
        let words = [
            (marks.head, "HEAD"),
            (marks.dead_end, "DEAD END"),
            (marks.skipped_by.is_some(), "skipped"),
            (marks.deprecated, "deprecated"),
            (marks.dangling, "not in this channel"),
            (marks.no_bundle, "no bundle"),
            (marks.circle, "circle of replaces"),
            (marks.below, "goes down"),
        ];
        words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
    }
}

/// The bundles of a channel in the order of the picture, newest first.
pub(super) fn marked(package: &PackageGraph, channel: &ChannelUpgrades) -> Vec<Marked> {
    let rows = layout(package, channel, &Options::default()).rows;
    rows.into_iter().map(|row| Marked { at: row.at, marks: row.marks }).collect()
}

/// `p`, or `p (deprecated)`.
pub(super) fn package_title(package: &PackageGraph) -> String {
    let deprecated = package.package.deprecation(&DeprecationTarget::Package).is_some();
    format!("{}{}", package.package.name, if deprecated { " (deprecated)" } else { "" })
}

/// `stable (default) (deprecated)`.
pub(super) fn channel_title(package: &PackageGraph, channel: &ChannelUpgrades) -> String {
    let name = channel.graph.name();
    let default = if package.package.default_channel() == Some(name) { " (default)" } else { "" };
    let deprecated = package.package.channel_deprecation(name).is_some();
    format!("{name}{default}{}", if deprecated { " (deprecated)" } else { "" })
}
