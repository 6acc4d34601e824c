//! The upgrade graph of channels for other programs and for terminals.
//!
//! Every function takes the package and those of its channels that are wanted, see [`select`].

mod dot;
mod json;
mod jsonl;
mod mermaid;
mod side_by_side;
mod svg;
mod text;

pub use dot::dot;
pub use json::json;
pub use jsonl::{Line, jsonl, lines};
pub use mermaid::mermaid;
pub use side_by_side::side_by_side;
pub use svg::svg;
pub use text::text;

use crate::upgrade::{PackageGraph, package::ChannelUpgrades};

/// The channels to export: the one with a name (none where there is no such channel), or all of them, the default
/// channel first, the others by name.
pub fn select<'a>(package: &'a PackageGraph, channel: Option<&str>) -> Vec<&'a ChannelUpgrades> {
    let Some(name) = channel else {
        let default = package.package.default_channel();
        let mut all: Vec<&ChannelUpgrades> = package.channels().iter().collect();
        all.sort_by_key(|c| (Some(c.graph.name()) != default, c.graph.name()));
        return all;
    };
    package.channel(name).into_iter().collect()
}

#[cfg(test)]
mod conformance;
