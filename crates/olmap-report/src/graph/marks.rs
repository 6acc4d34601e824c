//! Marks of bundles in words, for all drawings for other programs. Classes and colors are not
//! sufficient.

use std::fmt;

use petgraph::graph::NodeIndex;

use crate::layout::{Marks, Options, draw_layout};
use olm_catalog::blob::DeprecationTarget;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

/// Bundle with its marks.
pub(super) struct MarkedBundle {
    pub(super) at: NodeIndex,
    pub(super) marks: Marks,
}

impl MarkedBundle {
    /// Returns the words below the name of the bundle, most important first.
    pub(super) fn mark_words(&self) -> Vec<&'static str> {
        let marks = &self.marks;
        let words = [
            (marks.head, "HEAD"),
            (marks.stuck.is_some() && !marks.dead_end, "STUCK"),
            (marks.dead_end, "DEAD END"),
            (marks.skipped_by.is_some(), "skipped"),
            (marks.deprecated, "deprecated"),
            (marks.dangling, "not in this channel"),
            (marks.missing_bundle, "no bundle"),
            (marks.on_cycle, "cycle of replaces"),
            (marks.downgrade, "downgrade"),
        ];
        words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
    }
}

/// Returns the bundles of a channel in drawing order, newest first.
pub(super) fn marked_bundles(package: &PackageGraph, channel: &ChannelUpgrades) -> Vec<MarkedBundle> {
    let rows = draw_layout(package, channel, &Options::default()).rows;
    rows.into_iter().map(|row| MarkedBundle { at: row.at, marks: row.marks }).collect()
}

/// Name of a package or channel with its state: `stable`, ` (default) (deprecated)`.
pub(super) struct MarkedTitle<'a> {
    /// Catalog text.
    pub(super) name: &'a str,
    /// State in our own words.
    pub(super) state: String,
}

impl fmt::Display for MarkedTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.state)
    }
}

/// Returns the title of a package: `p`, or `p (deprecated)`.
pub(super) fn package_title(package: &PackageGraph) -> MarkedTitle<'_> {
    let deprecated = package.package.deprecation(&DeprecationTarget::Package).is_some();
    let state = if deprecated { " (deprecated)" } else { "" };
    MarkedTitle { name: package.package.name.as_str(), state: state.to_owned() }
}

/// Returns the title of a channel: `stable (default) (deprecated)`.
pub(super) fn channel_title<'a>(package: &PackageGraph, channel: &'a ChannelUpgrades) -> MarkedTitle<'a> {
    let name = channel.graph.name();
    let default = if package.package.default_channel() == Some(name) { " (default)" } else { "" };
    let deprecated = package.package.channel_deprecation(name).is_some();
    let state = format!("{default}{}", if deprecated { " (deprecated)" } else { "" });
    MarkedTitle { name: name.as_str(), state }
}
