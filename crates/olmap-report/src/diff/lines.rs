//! Difference line by line, for the command line, pull requests and the explorer.

use super::{CatalogComparison, count_noun};
use crate::{
    changed_upgrades::{self, FoldedSentence},
    deprecations,
    document::Item,
    finding, stuck_changes,
    style::Ink,
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_check::{
    Finding, FindingLocation, Severity,
    review::{
        ChangedUpgrade, FreshInstallChange, UnmetDependency,
        diff::{ChangeKind, DeprecationDiff, Impact, OtherDiff, PackageDiff},
    },
};
use olm_upgrade::Engine;

/// Line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceLine {
    /// Category of the line.
    pub head: LineKind,
    /// Indentation level: 1 if the line belongs to the one above, else 0.
    pub depth: usize,
    /// Text of the line. Catalog text is not escaped.
    pub words: String,
    /// Subject of the line, for navigation.
    pub subject: LineSubject,
    /// Rule and location if the line is about a finding, for links.
    pub finding: Option<FindingReference>,
    /// Installed versions that a folded line only counts; empty otherwise.
    pub versions: Vec<String>,
}

/// Number of lines about installed versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserLines {
    /// A line per old and new upgrade.
    Full,
    /// A line per new upgrade. The versions of a line about many are in [`DifferenceLine::versions`].
    Folded,
}

/// Rule and location of a finding that a line describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingReference {
    /// Identifier of the rule.
    pub rule: &'static str,
    /// Location in the catalog that has the finding; `None` if unknown.
    pub at: Option<FindingLocation>,
}

/// Category of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Added, removed or changed content.
    Fate(ChangeKind),
    /// Continuation of the line above.
    More,
    /// Versions that are newly stuck or freed. `None` for both engines.
    Stuck(Option<Engine>, Impact),
    /// Installed bundles or fresh installs with another upgrade.
    Users(Engine, Impact),
    /// Installed bundles whose upgrade path ends at another bundle.
    Ends(Engine),
    /// Installations of deprecated content.
    Deprecated(Impact),
    /// Bundles with an unmet dependency.
    Left,
    /// Finding that the change adds, fixes, leaves or changes.
    Finding(Severity, FindingChange),
    /// Finding whose rule could not be evaluated in the new catalog.
    Unchecked,
}

/// Change of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingChange {
    /// Only the new catalog has it.
    New,
    /// Its rule was evaluated on the new catalog and did not find it.
    Fixed,
    /// Before, this was part of a finding that is fixed.
    Remaining,
    /// Both catalogs have it, with different severities.
    Severity,
}

impl LineKind {
    /// Returns true if the line says that users are worse off.
    pub fn is_harm(self) -> bool {
        match self {
            Self::Stuck(_, impact) | Self::Users(_, impact) | Self::Deprecated(impact) => impact.is_harm(),
            _ => false,
        }
    }

    /// Returns the mark or short label before the text; empty for [`LineKind::More`].
    pub fn short_label(self) -> &'static str {
        match self {
            Self::Fate(ChangeKind::Added) => "+",
            Self::Fate(ChangeKind::Removed) => "-",
            Self::Fate(ChangeKind::Changed) => "~",
            Self::More => "",
            Self::Stuck(of, _) => stuck_changes::engine_label(of),
            Self::Users(of, _) | Self::Ends(of) => of.label(),
            Self::Deprecated(_) => "deprec.",
            Self::Left => "left",
            Self::Finding(_, FindingChange::New) => "new",
            Self::Finding(_, FindingChange::Fixed) => "fixed",
            Self::Finding(_, FindingChange::Remaining) => "remains",
            Self::Finding(_, FindingChange::Severity) => "changed",
            Self::Unchecked => "unchecked",
        }
    }

    /// Returns the label written out; empty for [`LineKind::More`].
    pub fn full_label(self) -> &'static str {
        match self {
            Self::Fate(fate) => fate.as_str(),
            Self::More => "",
            Self::Stuck(of, _) => stuck_changes::engine_word(of),
            Self::Users(of, _) | Self::Ends(of) => of.label(),
            Self::Deprecated(_) => "deprecation",
            Self::Left => "left without",
            Self::Finding(_, FindingChange::New) => "new finding",
            Self::Finding(_, FindingChange::Fixed) => "fixed finding",
            Self::Finding(_, FindingChange::Remaining) => "remaining finding",
            Self::Finding(_, FindingChange::Severity) => "finding with another severity",
            Self::Unchecked => "unchecked finding",
        }
    }

    /// Returns the color of the label.
    pub fn ink(self) -> Ink {
        match self {
            Self::Stuck(_, fortune) | Self::Users(_, fortune) | Self::Deprecated(fortune) => {
                stuck_changes::impact_ink(fortune)
            }
            Self::Fate(ChangeKind::Added) | Self::Finding(_, FindingChange::Fixed) => Ink::Good,
            Self::Fate(ChangeKind::Removed) => Ink::Error,
            Self::Fate(ChangeKind::Changed) | Self::Left => Ink::Warning,
            Self::More | Self::Unchecked => Ink::Text,
            Self::Ends(_) => Ink::Dim,
            Self::Finding(severity, _) => finding::severity_ink(severity),
        }
    }
}

/// Subject of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineSubject {
    /// Package as a whole.
    Package,
    /// Channel.
    Channel(ChannelName),
    /// Entry of a channel.
    Entry(ChannelName, BundleName),
    /// Bundle.
    Bundle(BundleName),
    /// Installations: the first installed bundle, and its channel on Classic.
    Users(Option<ChannelName>, BundleName),
}

impl DifferenceLine {
    fn new(head: LineKind, words: String, about: LineSubject) -> Self {
        Self { head, depth: 0, words, subject: about, finding: None, versions: Vec::new() }
    }

    fn with_child_depth(self) -> Self {
        Self { depth: 1, ..self }
    }

    /// Returns the line as an item `indent` levels deeper.
    pub fn to_item(&self, indent: usize) -> Item {
        let (mark, ink) = (self.head.short_label(), self.head.ink());
        Item { indent: indent + self.depth, mark, ink, text: self.words.clone() }
    }
}

/// Summarizes the differences of a package for a heading.
pub fn package_heading(package: &PackageDiff) -> String {
    let parts = [
        (package.channels.len(), "channel", "channels"),
        (package.bundles.len(), "bundle", "bundles"),
        (package.deprecations.len(), "deprecation", "deprecations"),
        (package.others.len(), "other object", "other objects"),
    ];
    let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
    let mut parts: Vec<String> = parts.map(|(n, one, many)| count_noun(n, one, many)).collect();
    if package.change_kind == ChangeKind::Changed && package.default_channel.is_some() {
        parts.push("default channel".to_owned());
    }
    match parts.as_slice() {
        [] => package.change_kind.as_str().to_owned(),
        parts => format!("{}: {}", package.change_kind.as_str(), parts.join(", ")),
    }
}

/// Returns all lines about a package.
pub fn package_lines(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
    users: UserLines,
) -> Vec<DifferenceLine> {
    let mut lines = Vec::new();
    if let Some(change) =
        package.default_channel.as_ref().filter(|_| package.change_kind == ChangeKind::Changed)
    {
        let name = |name: &Option<_>| name.as_ref().map_or("none".to_owned(), ToString::to_string);
        let words = format!("default channel {} => {}", name(&change.before), name(&change.after));
        lines.push(DifferenceLine::new(LineKind::Fate(ChangeKind::Changed), words, LineSubject::Package));
    }
    if !package.description.is_empty() {
        lines.push(DifferenceLine::new(
            LineKind::Fate(ChangeKind::Changed),
            super::describe_leaves(&package.description),
            LineSubject::Package,
        ));
    }
    push_channel_lines(compared, package, &mut lines);
    push_bundle_lines(compared, package, &mut lines);
    lines.extend(package.deprecations.iter().map(|d| deprecation_line(compared, &package.name, d)));
    lines.extend(package.others.iter().map(other_object_line));
    if compared.formatting && !package.rewritten.is_empty() {
        let named =
            |r: &olm_check::review::diff::Rewritten| format!("{} {}", r.schema, r.name).trim().to_owned();
        let names: Vec<String> = package.rewritten.iter().map(named).collect();
        let words = format!("only formatting differs: {}", names.join(", "));
        lines.push(DifferenceLine::new(LineKind::More, words, LineSubject::Package));
    }
    if package.change_kind == ChangeKind::Removed {
        let versions = count_noun(package.bundles.len(), "version", "versions");
        let words = format!("users of its {versions} get no more upgrades");
        let kind = LineKind::Fate(ChangeKind::Removed);
        lines.insert(0, DifferenceLine::new(kind, words, LineSubject::Package));
        return lines;
    }
    let is_blocked = |line: &DifferenceLine| line.head == LineKind::Deprecated(Impact::Stuck);
    let (blocked, others) =
        deprecation_effect_lines(compared, &package.name).into_iter().partition::<Vec<_>, _>(is_blocked);
    lines.extend(blocked);
    lines.extend(user_lines(compared, &package.name, users));
    lines.extend(others);
    lines.extend(finding_lines(compared, Some(&package.name)));
    lines
}

fn push_channel_lines(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
    lines: &mut Vec<DifferenceLine>,
) {
    for channel in &package.channels {
        let what = super::describe_channel_diff(compared, &package.name, channel);
        let about = || LineSubject::Channel(channel.name.clone());
        lines.push(DifferenceLine::new(
            LineKind::Fate(channel.change_kind),
            format!("channel {}: {what}", channel.name),
            about(),
        ));
        if channel.change_kind == ChangeKind::Changed {
            for entry in &channel.entries {
                let label = super::bundle_label(compared, &package.name, &entry.name);
                let words =
                    format!("{label}: {}", super::describe_entry_change(compared, &package.name, entry));
                let about = LineSubject::Entry(channel.name.clone(), entry.name.clone());
                lines.push(
                    DifferenceLine::new(LineKind::Fate(entry.change_kind()), words, about).with_child_depth(),
                );
            }
        } else if package.change_kind != ChangeKind::Removed && !channel.entries.is_empty() {
            let names = channel.entries.iter().map(|entry| &entry.name);
            let names = super::bundle_labels(compared, &package.name, names);
            lines.push(DifferenceLine::new(LineKind::More, names, about()).with_child_depth());
        }
    }
}

fn push_bundle_lines(
    compared: &CatalogComparison<'_>,
    package: &PackageDiff,
    lines: &mut Vec<DifferenceLine>,
) {
    for fate in [ChangeKind::Added, ChangeKind::Removed] {
        let names: Vec<&BundleName> =
            package.bundles.iter().filter(|b| b.change_kind == fate).map(|b| &b.name).collect();
        // The channels list the bundles of a package that was added or removed.
        if let Some(first) = names.first().filter(|_| package.change_kind == ChangeKind::Changed) {
            let about = LineSubject::Bundle(BundleName::clone(first));
            let what = count_noun(names.len(), "bundle", "bundles");
            let names = super::bundle_labels(compared, &package.name, names);
            lines.push(DifferenceLine::new(LineKind::Fate(fate), format!("{what}: {names}"), about));
        }
    }
    for bundle in package.bundles.iter().filter(|bundle| bundle.change_kind == ChangeKind::Changed) {
        let about = || LineSubject::Bundle(bundle.name.clone());
        let name = super::bundle_label(compared, &package.name, &bundle.name);
        let what = format!("published bundle {name}");
        lines.push(DifferenceLine::new(LineKind::Fate(ChangeKind::Changed), what, about()));
        let parts = super::describe_bundle_diff(bundle).into_iter();
        lines.extend(parts.map(|part| DifferenceLine::new(LineKind::More, part, about()).with_child_depth()));
    }
}

fn deprecation_line(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    deprecation: &DeprecationDiff,
) -> DifferenceLine {
    let (what, about) = match &deprecation.target {
        Some(DeprecationTarget::Package) => ("the package".to_owned(), LineSubject::Package),
        Some(DeprecationTarget::Channel(name)) => {
            (format!("channel {name}"), LineSubject::Channel(name.clone()))
        }
        Some(DeprecationTarget::Bundle(name)) => {
            (super::bundle_label(compared, package, name), LineSubject::Bundle(name.clone()))
        }
        None => (format!("an unknown reference ({})", deprecation.reference), LineSubject::Package),
    };
    let message = deprecation.after.as_deref().unwrap_or_default();
    let words = match deprecation.change_kind() {
        ChangeKind::Added => format!("deprecates {what}: {message}"),
        ChangeKind::Removed => format!("no longer deprecates {what}"),
        ChangeKind::Changed => format!("new deprecation message for {what}: {message}"),
    };
    DifferenceLine::new(LineKind::Fate(deprecation.change_kind()), words, about)
}

/// Returns the line about an object of another schema.
pub fn other_object_line(other: &OtherDiff) -> DifferenceLine {
    let name = other.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let what = match other.fate {
        ChangeKind::Changed => format!(": {}", super::describe_leaves(&other.leaves)),
        fate => format!(" {}", fate.as_str()),
    };
    DifferenceLine::new(
        LineKind::Fate(other.fate),
        format!("{}{name}{what}", other.schema),
        LineSubject::Package,
    )
}

/// Returns the lines about affected users, worst impact first.
fn user_lines(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    users: UserLines,
) -> Vec<DifferenceLine> {
    let label = |package: &PackageName, name: &BundleName| super::bundle_label(compared, package, name);
    let consequences = &compared.difference.consequences;
    let of = consequences.changed_steps.iter().filter(|moved| moved.package == *package);
    let told: Vec<(Impact, &ChangedUpgrade)> = of.map(|moved| (compared.impact_of(moved), moved)).collect();
    let mut lines = stuck_lines(compared, package);
    for fortune in Impact::ALL {
        let of = told.iter().filter(|(of, _)| *of == fortune);
        let of: Vec<ChangedUpgrade> = of.map(|(_, moved)| (*moved).clone()).collect();
        let what = match fortune {
            Impact::Failing => "FAILS ",
            Impact::Downgraded => "DOWNGRADED ",
            Impact::Stuck | Impact::Freed | Impact::Recovered | Impact::Redirected => "",
        };
        let sentences: Vec<FoldedSentence> = match users {
            UserLines::Folded => changed_upgrades::fold_upgrades_by_target(&of, label),
            UserLines::Full => changed_upgrades::describe_changed_upgrades(&of, label)
                .into_iter()
                .map(|sentence| FoldedSentence { sentence, versions: Vec::new() })
                .collect(),
        };
        for FoldedSentence { sentence, versions } in sentences {
            let words = format!("{what}{}", sentence.words);
            let about = LineSubject::Users(sentence.channel, sentence.installed);
            let line = DifferenceLine::new(LineKind::Users(sentence.engine, fortune), words, about);
            lines.push(DifferenceLine { versions, ..line });
        }
    }
    lines.extend(fresh_install_lines(compared, package));
    let ends = super::describe_changed_ends(compared, package).into_iter();
    lines.extend(
        ends.map(|(engine, words)| DifferenceLine::new(LineKind::Ends(engine), words, LineSubject::Package)),
    );
    lines
}

/// Returns the lines about newly stuck and freed versions, worst impact first.
fn stuck_lines(compared: &CatalogComparison<'_>, package: &PackageName) -> Vec<DifferenceLine> {
    let changes = compared.difference.consequences.stuck.iter();
    let sentences = changes.filter(|change| change.package_name() == package).flat_map(|change| {
        stuck_changes::describe_stuck_change(change, |bundle| super::bundle_label(compared, package, bundle))
    });
    let line = |stuck_changes::StuckSentence { impact: fortune, engine, version, words }| {
        let about = version.map_or(LineSubject::Package, |version| LineSubject::Users(None, version));
        DifferenceLine::new(LineKind::Stuck(engine, fortune), words, about)
    };
    sentences.map(line).collect()
}

/// Returns the lines about changed fresh installs, worst impact first.
fn fresh_install_lines(compared: &CatalogComparison<'_>, package: &PackageName) -> Vec<DifferenceLine> {
    let of = compared.difference.consequences.fresh.iter().filter(|change| change.package == *package);
    let told: Vec<(Impact, &FreshInstallChange)> =
        of.map(|change| (compared.difference.impact_of_fresh_install(change), change)).collect();
    let mut lines = Vec::new();
    for fortune in Impact::ALL {
        let of = told.iter().filter(|(of, _)| *of == fortune);
        let of: Vec<FreshInstallChange> = of.map(|(_, change)| (*change).clone()).collect();
        let what = match fortune {
            Impact::Failing => "FAILS ",
            Impact::Downgraded => "DOWNGRADED ",
            Impact::Stuck | Impact::Freed | Impact::Recovered | Impact::Redirected => "",
        };
        for sentence in changed_upgrades::fresh_installs::describe_fresh_changes(&of, |package, name| {
            super::bundle_label(compared, package, name)
        }) {
            let about = match (sentence.channel, sentence.bundle) {
                (Some(channel), Some(bundle)) => LineSubject::Entry(channel, bundle),
                (Some(channel), None) => LineSubject::Channel(channel),
                (None, Some(bundle)) => LineSubject::Bundle(bundle),
                (None, None) => LineSubject::Package,
            };
            lines.push(DifferenceLine::new(
                LineKind::Users(sentence.engine, fortune),
                format!("{what}{}", sentence.words),
                about,
            ));
        }
    }
    lines
}

/// Returns the lines about installations of deprecated content.
pub(super) fn deprecation_effect_lines(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
) -> Vec<DifferenceLine> {
    let mut states = [compared.difference.after(), compared.difference.before()].into_iter();
    let judged = states.find_map(|state| state.package(package.as_str()));
    let all = compared.difference.consequences.deprecations.iter().filter(|of| of.package == *package);
    let line = |(fate, words)| {
        let fortune = match fate {
            deprecations::EffectSeverity::Blocked => Impact::Stuck,
            deprecations::EffectSeverity::ByHand | deprecations::EffectSeverity::Unknown => {
                Impact::Redirected
            }
            deprecations::EffectSeverity::Fine => Impact::Freed,
        };
        DifferenceLine::new(LineKind::Deprecated(fortune), words, LineSubject::Package)
    };
    all.flat_map(|of| deprecations::describe_effects(of, judged.map(|judged| &**judged.package())))
        .map(line)
        .collect()
}

/// Returns the lines about new and fixed findings of a package, and its bundles with unmet
/// dependencies. Without a package, returns those of all packages that have no other lines.
pub fn finding_lines(compared: &CatalogComparison<'_>, package: Option<&PackageName>) -> Vec<DifferenceLine> {
    let is_told = |name: &PackageName| {
        compared.difference.find_package(name.as_str()).is_some_and(|package| !package.has_same_meaning())
    };
    let is_meant = |finding: &&Finding| match package {
        Some(_) => finding.package.as_ref() == package,
        None => !finding.package.as_ref().is_some_and(is_told),
    };
    let line = |change: FindingChange| {
        move |finding: &Finding| {
            let kind = LineKind::Finding(finding.severity(), change);
            let reference = FindingReference { rule: finding.rule.id, at: finding.at.clone() };
            let line = DifferenceLine::new(kind, finding.to_string(), finding_subject(finding));
            DifferenceLine { finding: Some(reference), ..line }
        }
    };
    let consequences = &compared.difference.consequences;
    let new = consequences.new_findings.iter().filter(is_meant).map(line(FindingChange::New));
    let gone = consequences.fixed_findings.iter().filter(is_meant).map(line(FindingChange::Fixed));
    let remaining =
        consequences.remaining_findings.iter().filter(is_meant).map(line(FindingChange::Remaining));
    let changed = consequences.severity_changes.iter().filter(|change| is_meant(&&change.finding));
    let changed = changed.map(|change| DifferenceLine {
        words: change.format_line(),
        ..line(FindingChange::Severity)(&change.finding)
    });
    let unchecked = consequences.unchecked_findings.iter().filter(|unchecked| is_meant(&&unchecked.finding));
    let unchecked = unchecked
        .map(|of| DifferenceLine::new(LineKind::Unchecked, of.format_line(), finding_subject(&of.finding)))
        .collect::<Vec<_>>();
    let is_meant = |left: &&UnmetDependency| match package {
        Some(package) => left.package == *package,
        None => !is_told(&left.package),
    };
    let left = |left: &UnmetDependency| {
        let newest = left.bundles.last().cloned();
        DifferenceLine::new(
            LineKind::Left,
            left.to_sentence(),
            newest.map_or(LineSubject::Package, LineSubject::Bundle),
        )
    };
    let left = consequences.unmet.all.iter().filter(is_meant).map(left);
    new.chain(gone).chain(remaining).chain(changed).chain(unchecked).chain(left).collect()
}

/// Returns the subject of a finding.
fn finding_subject(finding: &Finding) -> LineSubject {
    match (&finding.channel, &finding.bundle) {
        (Some(channel), Some(bundle)) => LineSubject::Entry(channel.clone(), bundle.clone()),
        (None, Some(bundle)) => LineSubject::Bundle(bundle.clone()),
        (Some(channel), None) => LineSubject::Channel(channel.clone()),
        (None, None) => LineSubject::Package,
    }
}
