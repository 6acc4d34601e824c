//! Form of the `skipRange` of a channel's entries, for new entries.

use petgraph::graph::NodeIndex;

use crate::ChannelGraph;
use olm_catalog::BundleName;
use olm_version::{Version, blang::Range};

/// Number of entries that are compared to find the form.
const MAX_SAMPLES: usize = 5;

/// Meaning of the lower bound of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LowerBound {
    /// First version of the entry's own minor version.
    MinorStart,
    /// First version of the minor version before the entry's own.
    PreviousMinor,
    /// Version that the entry replaces.
    Replaced,
    /// Fixed version, equal in all entries.
    Fixed,
}

/// Kinds of lower bounds, the narrowest first: if several fit equally well, the range skips fewer versions.
const LOWER_BOUNDS: [LowerBound; 4] =
    [LowerBound::MinorStart, LowerBound::PreviousMinor, LowerBound::Replaced, LowerBound::Fixed];

/// Form of the ranges of a channel: a lower bound, and the entry's own version as the upper bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeConvention {
    /// Nearest entry with this form.
    pub example: BundleName,
    lower_bound: LowerBound,
    sample: RangeSample,
}

impl RangeConvention {
    /// Detects the form from entries, the nearest first. `None` if the nearest entry has no range that ends at its own
    /// version.
    pub(super) fn detect(graph: &ChannelGraph, nearest: impl Iterator<Item = NodeIndex>) -> Option<Self> {
        let mut samples = Vec::new();
        for at in nearest.take(MAX_SAMPLES) {
            let sample = RangeSample::parse_entry(graph, at);
            if sample.is_none() && samples.is_empty() {
                return None;
            }
            samples.extend(sample.map(|sample| (at, sample)));
        }
        let (example, nearest) = samples.first()?.clone();
        let count = |bound: LowerBound| {
            samples.iter().filter(|(at, sample)| sample.has_bound(bound, graph, *at, &nearest)).count()
        };
        // The first of the best: `max_by_key` returns the last.
        let best = LOWER_BOUNDS.into_iter().rev().max_by_key(|bound| count(*bound))?;
        let name = graph.node(example)?.name.clone();
        Some(Self { example: name, lower_bound: best, sample: nearest })
    }

    /// Returns true if new entries have the lower bound of the example.
    pub(super) fn keeps_lower_bound(&self) -> bool {
        self.lower_bound == LowerBound::Fixed
    }
}

/// Returns the range of a new entry with this version that replaces an entry; `None` if the form does not give a range
/// for it.
pub(super) fn convention_range(
    convention: &RangeConvention,
    graph: &ChannelGraph,
    replaced: Option<NodeIndex>,
    version: &Version,
) -> Option<String> {
    let sample = &convention.sample;
    let lower = match convention.lower_bound {
        LowerBound::Fixed => sample.lower.clone(),
        LowerBound::Replaced => Some(graph.node(replaced?)?.version.as_ref()?.version.to_string()),
        bound => Some(minor_start(version, bound)?),
    };
    let text = match lower {
        Some(lower) => format!("{}{lower}{}{version}", sample.before_lower, sample.between),
        None => format!("{}{version}", sample.between),
    };
    // The range is empty if the version is below the lower bound.
    Range::parse(&text).ok().filter(|range| !range.is_empty() && !range.matches(version)).map(|_| text)
}

/// Text of a `skipRange` that ends before the version of its entry: `>=1.2.0 <1.3.0`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RangeSample {
    /// Operator of the lower bound, with blanks.
    before_lower: String,
    /// Lower bound; `None` if there is none.
    lower: Option<String>,
    /// Text between the lower bound and the upper one, with the operator `<`.
    between: String,
}

impl RangeSample {
    fn parse_entry(graph: &ChannelGraph, at: NodeIndex) -> Option<Self> {
        let text = graph.entry(at)?.skip_range.as_ref()?.text.value.trim();
        let own = graph.node(at)?.version.as_ref()?.version.to_string();
        let rest = text.strip_suffix(own.as_str()).filter(|rest| rest.trim_end().ends_with('<'))?;
        let Some(after) = rest.strip_prefix(">=") else {
            let only_upper = rest.trim() == "<";
            return only_upper.then(|| Self {
                before_lower: String::new(),
                lower: None,
                between: rest.to_owned(),
            });
        };
        let lower = after.trim_start();
        let blanks = &after[..after.len() - lower.len()];
        let end = lower.find(|c: char| c.is_whitespace() || c == '<')?;
        let (lower, between) = lower.split_at(end);
        Version::parse(lower).ok()?;
        (between.trim() == "<").then(|| Self {
            before_lower: format!(">={blanks}"),
            lower: Some(lower.to_owned()),
            between: between.to_owned(),
        })
    }

    fn has_bound(&self, bound: LowerBound, graph: &ChannelGraph, at: NodeIndex, nearest: &Self) -> bool {
        let version = || Some(&graph.node(at)?.version.as_ref()?.version);
        let is_lower = |text: Option<String>| text.is_some() && text == self.lower;
        match bound {
            LowerBound::Fixed => self.lower == nearest.lower,
            LowerBound::Replaced => {
                let replaced = graph.replaced_entry(at).and_then(|at| graph.node(at)?.version.as_ref());
                is_lower(replaced.map(|replaced| replaced.version.to_string()))
            }
            bound => is_lower(version().and_then(|version| minor_start(version, bound))),
        }
    }
}

/// Returns the first version of the minor version, or of the one before it; `None` if there is none before it.
fn minor_start(version: &Version, bound: LowerBound) -> Option<String> {
    let text = version.to_string();
    let mut numbers = text.split(['.', '-', '+']).map(str::parse::<u64>);
    let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let minor = if bound == LowerBound::PreviousMinor { minor.checked_sub(1)? } else { minor };
    Some(format!("{major}.{minor}.0"))
}
