//! Difference line by line, for the command line, pull requests and the explorer.

use super::{Compared, count, words};
use crate::{
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget},
    export::{deprecations, finding, moved, stuck_changes, style::Ink},
    review::{
        FreshChange, LeftWithout, Moved,
        diff::{DeprecationDiff, Fate, Fortune, OtherDiff, PackageDiff},
    },
    upgrade::Engine,
    validate::{Diagnostic, Severity},
};

/// Line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Category of the line.
    pub head: Head,
    /// Indentation level: 1 if the line belongs to the one above, else 0.
    pub depth: usize,
    /// Text of the line. Catalog text is not escaped.
    pub words: String,
    /// Subject of the line, for navigation.
    pub about: About,
}

/// Category of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Added, removed or changed content.
    Fate(Fate),
    /// Continuation of the line above.
    More,
    /// Versions that are newly stuck or freed. `None` for both engines.
    Stuck(Option<Engine>, Fortune),
    /// Installed bundles or fresh installs with another upgrade.
    Users(Engine, Fortune),
    /// Installed bundles whose upgrade path ends at another bundle.
    Ends(Engine),
    /// Installations of deprecated content.
    Deprecated(Fortune),
    /// Bundles with an unmet dependency.
    Left,
    /// New or fixed finding.
    Finding(Severity, Fate),
    /// Finding whose rule could not be evaluated in the new catalog.
    Unchecked,
}

impl Head {
    /// Returns the mark or short label before the text; empty for [`Head::More`].
    pub fn label(self) -> &'static str {
        match self {
            Self::Fate(Fate::Added) => "+",
            Self::Fate(Fate::Removed) => "-",
            Self::Fate(Fate::Changed) => "~",
            Self::More => "",
            Self::Stuck(of, _) => stuck_changes::engine_label(of),
            Self::Users(of, _) | Self::Ends(of) => of.label(),
            Self::Deprecated(_) => "deprec.",
            Self::Left => "left",
            Self::Finding(_, Fate::Removed) => "gone",
            Self::Unchecked => "unknown",
            Self::Finding(..) => "new",
        }
    }

    /// Returns the label written out; empty for [`Head::More`].
    pub fn word(self) -> &'static str {
        match self {
            Self::Fate(fate) => fate.as_str(),
            Self::More => "",
            Self::Stuck(of, _) => stuck_changes::engine_word(of),
            Self::Users(of, _) | Self::Ends(of) => of.label(),
            Self::Deprecated(_) => "deprecation",
            Self::Left => "left without",
            Self::Finding(_, Fate::Removed) => "finding fixed",
            Self::Unchecked => "finding not checked any more",
            Self::Finding(..) => "new finding",
        }
    }

    /// Returns the color of the label.
    pub fn ink(self) -> Ink {
        match self {
            Self::Stuck(_, fortune) | Self::Users(_, fortune) | Self::Deprecated(fortune) => {
                stuck_changes::ink(fortune)
            }
            Self::Fate(Fate::Added) | Self::Finding(_, Fate::Removed) => Ink::Good,
            Self::Fate(Fate::Removed) => Ink::Error,
            Self::Fate(Fate::Changed) | Self::Left => Ink::Warning,
            Self::More | Self::Unchecked => Ink::Text,
            Self::Ends(_) => Ink::Dim,
            Self::Finding(severity, _) => finding::ink(severity),
        }
    }
}

/// Subject of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
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

impl Line {
    fn new(head: Head, words: String, about: About) -> Self {
        Self { head, depth: 0, words, about }
    }

    fn below(self) -> Self {
        Self { depth: 1, ..self }
    }
}

/// Summarizes the differences of a package for a heading.
pub fn heading(package: &PackageDiff) -> String {
    let parts = [
        (package.channels.len(), "channel", "channels"),
        (package.bundles.len(), "bundle", "bundles"),
        (package.deprecations.len(), "deprecation", "deprecations"),
        (package.others.len(), "other object", "other objects"),
    ];
    let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
    let mut parts: Vec<String> = parts.map(|(n, one, many)| count(n, one, many)).collect();
    if package.fate == Fate::Changed && package.default_channel.is_some() {
        parts.push("default channel".to_owned());
    }
    match parts.as_slice() {
        [] => package.fate.as_str().to_owned(),
        parts => format!("{}: {}", package.fate.as_str(), parts.join(", ")),
    }
}

/// Returns all lines about a package.
pub fn package(compared: &Compared<'_>, package: &PackageDiff) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(change) = package.default_channel.as_ref().filter(|_| package.fate == Fate::Changed) {
        let name = |name: &Option<_>| name.as_ref().map_or("none".to_owned(), ToString::to_string);
        let words = format!("default channel {} => {}", name(&change.before), name(&change.after));
        lines.push(Line::new(Head::Fate(Fate::Changed), words, About::Package));
    }
    if !package.about.is_empty() {
        lines.push(Line::new(Head::Fate(Fate::Changed), words::leaves(&package.about), About::Package));
    }
    channels(compared, package, &mut lines);
    bundles(compared, package, &mut lines);
    lines.extend(package.deprecations.iter().map(|d| deprecation(compared, &package.name, d)));
    lines.extend(package.others.iter().map(other));
    if compared.formatting && !package.rewritten.is_empty() {
        let named = |r: &crate::review::diff::Rewritten| format!("{} {}", r.schema, r.name).trim().to_owned();
        let names: Vec<String> = package.rewritten.iter().map(named).collect();
        let words = format!("only formatting differs: {}", names.join(", "));
        lines.push(Line::new(Head::More, words, About::Package));
    }
    if package.fate == Fate::Removed {
        let versions = count(package.bundles.len(), "version", "versions");
        let words = format!("users of its {versions} get no more upgrades");
        lines.push(Line::new(Head::Fate(Fate::Removed), words, About::Package));
        return lines;
    }
    let is_blocked = |line: &Line| line.head == Head::Deprecated(Fortune::Stuck);
    let (blocked, others) = effects(compared, &package.name).into_iter().partition::<Vec<_>, _>(is_blocked);
    lines.extend(blocked);
    lines.extend(users(compared, &package.name));
    lines.extend(others);
    lines.extend(findings(compared, Some(&package.name)));
    lines
}

fn channels(compared: &Compared<'_>, package: &PackageDiff, lines: &mut Vec<Line>) {
    for channel in &package.channels {
        let what = words::channel(compared, &package.name, channel);
        let about = || About::Channel(channel.name.clone());
        lines.push(Line::new(Head::Fate(channel.fate), format!("channel {}: {what}", channel.name), about()));
        if channel.fate == Fate::Changed {
            for entry in &channel.entries {
                let label = words::label(compared, &package.name, &entry.name);
                let words = format!("{label}: {}", words::entry(compared, &package.name, entry));
                let about = About::Entry(channel.name.clone(), entry.name.clone());
                lines.push(Line::new(Head::Fate(entry.fate()), words, about).below());
            }
        } else if !channel.entries.is_empty() {
            let names = channel.entries.iter().map(|entry| &entry.name);
            let names = words::labels(compared, &package.name, names);
            lines.push(Line::new(Head::More, names, about()).below());
        }
    }
}

fn bundles(compared: &Compared<'_>, package: &PackageDiff, lines: &mut Vec<Line>) {
    for fate in [Fate::Added, Fate::Removed] {
        let names: Vec<&BundleName> =
            package.bundles.iter().filter(|b| b.fate == fate).map(|b| &b.name).collect();
        // The channels list the bundles of a package that was added or removed.
        if let Some(first) = names.first().filter(|_| package.fate == Fate::Changed) {
            let about = About::Bundle(BundleName::clone(first));
            let what = count(names.len(), "bundle", "bundles");
            let names = words::labels(compared, &package.name, names);
            lines.push(Line::new(Head::Fate(fate), format!("{what}: {names}"), about));
        }
    }
    for bundle in package.bundles.iter().filter(|bundle| bundle.fate == Fate::Changed) {
        let about = || About::Bundle(bundle.name.clone());
        let name = words::label(compared, &package.name, &bundle.name);
        let what = format!("published bundle {name}");
        lines.push(Line::new(Head::Fate(Fate::Changed), what, about()));
        let parts = words::bundle(bundle).into_iter();
        lines.extend(parts.map(|part| Line::new(Head::More, part, about()).below()));
    }
}

fn deprecation(compared: &Compared<'_>, package: &PackageName, deprecation: &DeprecationDiff) -> Line {
    let (what, about) = match &deprecation.target {
        Some(DeprecationTarget::Package) => ("the package".to_owned(), About::Package),
        Some(DeprecationTarget::Channel(name)) => (format!("channel {name}"), About::Channel(name.clone())),
        Some(DeprecationTarget::Bundle(name)) => {
            (words::label(compared, package, name), About::Bundle(name.clone()))
        }
        None => (format!("an unknown reference ({})", deprecation.reference), About::Package),
    };
    let message = deprecation.after.as_deref().unwrap_or_default();
    let words = match deprecation.fate() {
        Fate::Added => format!("deprecates {what}: {message}"),
        Fate::Removed => format!("no longer deprecates {what}"),
        Fate::Changed => format!("new deprecation message for {what}: {message}"),
    };
    Line::new(Head::Fate(deprecation.fate()), words, about)
}

/// Returns the line about an object of another schema.
pub fn other(other: &OtherDiff) -> Line {
    let name = other.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let what = match other.fate {
        Fate::Changed => format!(": {}", words::leaves(&other.leaves)),
        fate => format!(" {}", fate.as_str()),
    };
    Line::new(Head::Fate(other.fate), format!("{}{name}{what}", other.schema), About::Package)
}

/// Returns the lines about affected users, worst impact first.
pub fn users(compared: &Compared<'_>, package: &PackageName) -> Vec<Line> {
    let consequences = &compared.difference.consequences;
    let of = consequences.moved.iter().filter(|moved| moved.package == *package);
    let told: Vec<(Fortune, &Moved)> = of.map(|moved| (compared.fortune_of(moved), moved)).collect();
    let mut lines = stuck(compared, package);
    for fortune in Fortune::ALL {
        let of = told.iter().filter(|(of, _)| *of == fortune);
        let of: Vec<Moved> = of.map(|(_, moved)| (*moved).clone()).collect();
        let what = match fortune {
            Fortune::Failing => "FAILS ",
            Fortune::Downgraded => "DOWNGRADED ",
            Fortune::Stuck | Fortune::Freed | Fortune::Recovered | Fortune::Moved => "",
        };
        for sentence in moved::sentences(&of, |package, name| words::label(compared, package, name)) {
            let words = format!("{what}{}", sentence.words);
            let about = About::Users(sentence.channel, sentence.installed);
            lines.push(Line::new(Head::Users(sentence.engine, fortune), words, about));
        }
    }
    lines.extend(fresh(compared, package));
    let ends = words::ends(compared, package).into_iter();
    lines.extend(ends.map(|(engine, words)| Line::new(Head::Ends(engine), words, About::Package)));
    lines
}

/// Returns the lines about newly stuck and freed versions, worst impact first.
fn stuck(compared: &Compared<'_>, package: &PackageName) -> Vec<Line> {
    let changes = compared.difference.consequences.stuck.iter();
    let sentences = changes.filter(|change| change.package() == package).flat_map(|change| {
        stuck_changes::sentences(change, |bundle| words::label(compared, package, bundle))
    });
    let line = |stuck_changes::Sentence { fortune, engine, version, words }| {
        let about = version.map_or(About::Package, |version| About::Users(None, version));
        Line::new(Head::Stuck(engine, fortune), words, about)
    };
    sentences.map(line).collect()
}

/// Returns the lines about changed fresh installs, worst impact first.
fn fresh(compared: &Compared<'_>, package: &PackageName) -> Vec<Line> {
    let of = compared.difference.consequences.fresh.iter().filter(|change| change.package == *package);
    let told: Vec<(Fortune, &FreshChange)> =
        of.map(|change| (Fortune::of_fresh(change, compared.old, compared.new), change)).collect();
    let mut lines = Vec::new();
    for fortune in Fortune::ALL {
        let of = told.iter().filter(|(of, _)| *of == fortune);
        let of: Vec<FreshChange> = of.map(|(_, change)| (*change).clone()).collect();
        let what = match fortune {
            Fortune::Failing => "BROKEN ",
            Fortune::Downgraded => "DOWNGRADED ",
            Fortune::Stuck | Fortune::Freed | Fortune::Recovered | Fortune::Moved => "",
        };
        for sentence in moved::fresh::sentences(&of, |package, name| words::label(compared, package, name)) {
            let about = match (sentence.channel, sentence.bundle) {
                (Some(channel), Some(bundle)) => About::Entry(channel, bundle),
                (Some(channel), None) => About::Channel(channel),
                (None, Some(bundle)) => About::Bundle(bundle),
                (None, None) => About::Package,
            };
            lines.push(Line::new(
                Head::Users(sentence.engine, fortune),
                format!("{what}{}", sentence.words),
                about,
            ));
        }
    }
    lines
}

/// Returns the lines about installations of deprecated content.
pub(super) fn effects(compared: &Compared<'_>, package: &PackageName) -> Vec<Line> {
    let mut states = [compared.new, compared.old].into_iter();
    let judged = states.find_map(|state| state.package(package.as_str()));
    let all = compared.difference.consequences.deprecations.iter().filter(|of| of.package == *package);
    let line = |(fate, words)| {
        let fortune = match fate {
            deprecations::Fate::Blocked => Fortune::Stuck,
            deprecations::Fate::ByHand | deprecations::Fate::Unknown => Fortune::Moved,
            deprecations::Fate::Fine => Fortune::Freed,
        };
        Line::new(Head::Deprecated(fortune), words, About::Package)
    };
    all.flat_map(|of| deprecations::effects(of, judged.map(|judged| &**judged.package()))).map(line).collect()
}

/// Returns the lines about new and fixed findings of a package, and its bundles with unmet
/// dependencies. Without a package, returns those of all packages that have no other lines.
pub fn findings(compared: &Compared<'_>, package: Option<&PackageName>) -> Vec<Line> {
    let is_told = |name: &PackageName| {
        compared.difference.package(name.as_str()).is_some_and(|package| !package.means_the_same())
    };
    let is_meant = |finding: &&Diagnostic| match package {
        Some(_) => finding.package.as_ref() == package,
        None => !finding.package.as_ref().is_some_and(is_told),
    };
    let line = |fate: Fate| {
        move |finding: &Diagnostic| {
            let severity = finding.severity();
            let words = format!("{} {}: {}", severity.as_str(), finding.rule.id, finding.message);
            Line::new(Head::Finding(severity, fate), words, about(finding))
        }
    };
    let consequences = &compared.difference.consequences;
    let new = consequences.new_findings.iter().filter(is_meant).map(line(Fate::Added));
    let gone = consequences.fixed_findings.iter().filter(is_meant).map(line(Fate::Removed));
    let unchecked = consequences.unchecked_findings.iter().filter(|unchecked| is_meant(&&unchecked.finding));
    let unchecked =
        unchecked.map(|of| Line::new(Head::Unchecked, of.words(), about(&of.finding))).collect::<Vec<_>>();
    let is_meant = |left: &&LeftWithout| match package {
        Some(package) => left.package == *package,
        None => !is_told(&left.package),
    };
    let left = |left: &LeftWithout| {
        let newest = left.bundles.last().cloned();
        Line::new(Head::Left, left.words(), newest.map_or(About::Package, About::Bundle))
    };
    new.chain(gone).chain(unchecked).chain(consequences.left.all.iter().filter(is_meant).map(left)).collect()
}

/// Returns the subject of a finding.
fn about(finding: &Diagnostic) -> About {
    match (&finding.channel, &finding.bundle) {
        (Some(channel), Some(bundle)) => About::Entry(channel.clone(), bundle.clone()),
        (None, Some(bundle)) => About::Bundle(bundle.clone()),
        (Some(channel), None) => About::Channel(channel.clone()),
        (None, None) => About::Package,
    }
}
