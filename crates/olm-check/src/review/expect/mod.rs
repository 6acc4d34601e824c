//! Upgrade expectations: required results for installed versions, as rows of a small YAML file that
//! are checked against a catalog.
//!
//! A row queries one or both OLMs about installed bundles, as `olmap successors` does, and has the
//! required result ([`ExpectedResult`]). [`Expectations::parse_file`] parses a file and reports all mistakes.
//! [`ExpectationReport::new`] checks its rows against a catalog, [`record_expectations`] writes the current answers as a
//! file, and [`ExtendedFile`] adds a row to a file.

mod check;
mod formatter;
mod parser;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    path::PathBuf,
    sync::Arc,
};

use crate::review::{PackageState, Snapshot};
use olm_catalog::{
    BundleName, ChannelName, Location, Node, PackageName, Span, Spanned, Value,
    package::Package,
    similar_names,
    text::{emit::write_inline_scalar, yaml},
};
use olm_upgrade::{
    Engine, Installed,
    path::UpgradeContext,
    table::{self, NextUpgrade},
    v1::{Policy, Query},
};

pub use check::{ActualResult, Case, ExpectationReport};

pub use formatter::{NewRow, expect_same_answer};

/// File of expectations.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectations {
    /// Path for display.
    pub path: PathBuf,
    /// Valid rows.
    pub rows: Vec<Expectation>,
    /// Mistakes that do not depend on the catalog, in file order.
    pub mistakes: Vec<Mistake>,
    bytes: Arc<[u8]>,
}

/// Row of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// Location of the row.
    pub span: Span,
    /// Name of the package; `None` for the only package of the catalog.
    pub package: Option<Spanned<PackageName>>,
    /// Installed bundles as written: `NAME`, `VERSION` or `NAME@VERSION`, each checked separately.
    /// Empty for a fresh installation.
    pub installed: Vec<Spanned<String>>,
    /// OLMs to query.
    pub engines: &'static [Engine],
    /// Classic: the subscribed channels, each checked separately; the default channel if empty. v1:
    /// the selected channels; all if empty.
    pub channels: Vec<Spanned<ChannelName>>,
    /// v1: the version constraint; any version if empty.
    pub version: String,
    /// v1: the policy for edges.
    pub policy: Policy,
    /// Required result.
    pub expect: Spanned<ExpectedResult>,
}

/// Mistake in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Location of the mistake.
    pub span: Span,
    /// Index of its row in [`Expectations::rows`]; `None` if the row is invalid.
    pub row: Option<usize>,
    /// Description, without a full stop.
    pub message: String,
    /// Suggested correction, if any.
    pub hint: Option<String>,
}

impl Expectation {
    /// Returns true if two rows have the same meaning, regardless of their positions.
    fn has_same_meaning(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(a: &[Spanned<T>], b: &[Spanned<T>]) -> bool {
            a.iter().map(|a| &a.value).eq(b.iter().map(|b| &b.value))
        }
        let package = |row: &Self| row.package.as_ref().map(|package| package.value.clone());
        package(self) == package(other)
            && same(&self.installed, &other.installed)
            && same(&self.channels, &other.channels)
            && self.engines == other.engines
            && (&self.version, self.policy) == (&other.version, other.policy)
            && self.expect.value == other.expect.value
    }
}

impl Expectations {
    /// Parses a file. Never fails: valid rows count, everything else becomes a mistake.
    pub fn parse_file(path: PathBuf, bytes: Vec<u8>) -> Self {
        let (rows, mistakes) = parser::parse_rows(&bytes);
        Self { path, rows, mistakes, bytes: bytes.into() }
    }

    /// Returns the content of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the location of a part of the file.
    pub fn location_of(&self, span: Span) -> Location {
        let bytes = span.range();
        let before = &self.bytes[..bytes.start.min(self.bytes.len())];
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Location {
            path: self.path.clone(),
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            column: 1 + String::from_utf8_lossy(&before[start..]).chars().count(),
            bytes,
            is_whole_file: false,
        }
    }
}

/// File with added rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtendedFile {
    /// New content of the file.
    pub bytes: Vec<u8>,
    /// Inserted text.
    pub text: String,
}

/// Reason why a row cannot be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The file cannot be parsed or is not a list.
    #[error("it is not a list of rows")]
    NoList,
    /// The new content would not parse to the old rows plus the new ones.
    #[error("its layout does not allow adding rows")]
    Layout,
}

impl ExtendedFile {
    /// Adds rows at the end of a file. An empty file becomes a list.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a list of rows, or if its layout does not allow more rows.
    pub fn new(file: &Expectations, rows: &[NewRow]) -> Result<Self, AddError> {
        let bytes = file.bytes();
        let root = yaml::parse_yaml(bytes).map_err(|_| AddError::NoList)?;
        // The file may be a single group.
        let list = root.get("expectations").unwrap_or(&root);
        let (at, text) = match &list.value {
            Value::Null if root.is_null() => insert_at_end(bytes, "", rows),
            Value::List(_) if bytes.get(list.span.range().start) == Some(&b'[') => {
                insert_in_brackets(list, rows)
            }
            Value::List(_) => {
                let column = file.location_of(list.span).column - 1;
                insert_at_end(bytes, &" ".repeat(column), rows)
            }
            _ => return Err(AddError::NoList),
        };
        let (before, behind) = bytes.split_at_checked(at).ok_or(AddError::Layout)?;
        let bytes = [before, text.as_bytes(), behind].concat();
        let after = Expectations::parse_file(file.path.clone(), bytes);
        let is_more = after.rows.len() == file.rows.len() + rows.len()
            && after.mistakes.len() == file.mistakes.len()
            && after.rows.starts_with(&file.rows);
        if is_more { Ok(Self { bytes: after.bytes().to_vec(), text }) } else { Err(AddError::Layout) }
    }
}

/// Byte offset and text of the insertion.
type Insertion = (usize, String);

fn insert_at_end(bytes: &[u8], indent: &str, rows: &[NewRow]) -> Insertion {
    let first = memchr::memchr(b'\n', bytes);
    let has_returns = first.is_some_and(|at| bytes[..at].ends_with(b"\r"));
    let mut text: String = rows.iter().map(|row| row.format_as_item(indent)).collect();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        text.insert(0, '\n');
    }
    if has_returns {
        text = text.replace('\n', "\r\n");
    }
    (bytes.len(), text)
}

/// Inserts after the last row, before the closing bracket.
fn insert_in_brackets(root: &Node<'_>, rows: &[NewRow]) -> Insertion {
    let at = root.items().last().map_or(root.span.range().start + 1, |last| last.span.range().end);
    let rows: Vec<String> = rows.iter().map(NewRow::format_json).collect();
    let comma = if root.items().is_empty() { "" } else { ",\n" };
    (at, format!("{comma}{}", rows.join(",\n")))
}

/// Expected result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedResult {
    /// The next upgrade, or the new installation, is this bundle: its name, or its version if it is unique.
    Pick(String),
    /// The bundle stays, and the resolver does not report an error.
    Stays,
    /// The resolver reports an error.
    Error,
    /// Successive upgrades reach a bundle.
    Reaches {
        /// Bundle: its name, or its version if it is unique.
        to: String,
        /// Maximum number of upgrades; `None` for any number.
        within: Option<usize>,
    },
    /// Successive upgrades never reach a bundle that is only in matching channels (`*`, `?` and classes as in file names).
    /// Bundles that are also in other channels are ignored, and so is the installed one.
    NeverLands(String),
}

/// Reason why a text is not an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ExpectError {
    pub message: String,
    pub hint: String,
}

/// Valid forms.
const VALID_FORMS: &str = "pick NAME, stays, error, reaches NAME within N hops, never lands on CHANNEL";

/// First word of each form.
const FIRST_WORDS: [&str; 5] = ["pick", "stays", "error", "reaches", "never"];

impl ExpectedResult {
    /// Parses a text.
    fn parse(text: &str) -> Result<Self, ExpectError> {
        let wrong = |hint: &str| {
            Err(ExpectError { message: format!("{text:?} is not an expectation"), hint: hint.to_owned() })
        };
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (first, rest) {
            ("pick", "") => wrong("the name is missing: pick NAME"),
            ("pick", name) => Ok(Self::Pick(name.to_owned())),
            ("stays", "") => Ok(Self::Stays),
            ("error", "") => Ok(Self::Error),
            ("reaches", "") => wrong("the name is missing: reaches NAME within N hops"),
            ("reaches", rest) => {
                let Some((to, bound)) = rest.rsplit_once(" within ") else {
                    return Ok(Self::Reaches { to: rest.to_owned(), within: None });
                };
                let number = bound.strip_suffix(" hops").or_else(|| bound.strip_suffix(" hop"));
                match number.map(str::parse) {
                    Some(Ok(within)) => Ok(Self::Reaches { to: to.to_owned(), within: Some(within) }),
                    _ => wrong("add a number of hops: reaches NAME within 3 hops"),
                }
            }
            ("never", rest) => match rest.strip_prefix("lands on ") {
                Some(channel) if !channel.is_empty() => Ok(Self::NeverLands(channel.to_owned())),
                _ => wrong("write never lands on CHANNEL"),
            },
            ("stays" | "error", _) => wrong(&format!("remove the text after {first}")),
            _ => match similar_names::suggest_closest(first, FIRST_WORDS.into_iter()) {
                Some(meant) => wrong(&format!("did you mean {meant}? Expectations are {VALID_FORMS}")),
                None => wrong(&format!("expectations are {VALID_FORMS}")),
            },
        }
    }
}

impl fmt::Display for ExpectedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pick(name) => write!(f, "pick {name}"),
            Self::Stays => f.write_str("stays"),
            Self::Error => f.write_str("error"),
            Self::Reaches { to, within: None } => write!(f, "reaches {to}"),
            Self::Reaches { to, within: Some(1) } => write!(f, "reaches {to} within 1 hop"),
            Self::Reaches { to, within: Some(hops) } => write!(f, "reaches {to} within {hops} hops"),
            Self::NeverLands(channel) => write!(f, "never lands on {channel}"),
        }
    }
}

/// Selection of recorded answers.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Packages; all if empty.
    pub packages: Vec<olm_catalog::PackageName>,
    /// Classic: the subscribed channels; the default channel of each package if empty. v1: the selected channels; all if
    /// empty.
    pub channels: Vec<ChannelName>,
    /// Resolvers to query.
    pub engines: &'static [Engine],
}

/// Writes expectations that the catalog meets: the result of a new installation, and the next upgrade of every bundle in the
/// channels. Adjacent bundles with the same answer share a row. `None` if there are no answers.
pub fn record_expectations(snapshot: &Snapshot, label: &str, wish: &RecordOptions) -> Option<String> {
    let channels = match wish.channels.as_slice() {
        [] => "the default channel of each package".to_owned(),
        names => format!("channel {}", join_channel_names(names)),
    };
    let mut text = format!(
        "# Upgrade expectations: what happens today, written by olmap expect --record.\n\
         # Catalog: {}; {channels}.\n\
         # Each group begins with a fresh install. Keep what must stay, change what must become different, and remove what\n\
         # does not matter.\n",
        write_inline_scalar(label)
    );
    let before = text.len();
    let wanted = |judged: &&std::sync::Arc<PackageState>| {
        let name = &judged.package().name;
        !name.as_str().is_empty() && (wish.packages.is_empty() || wish.packages.contains(name))
    };
    for judged in snapshot.packages().map(|(_, judged)| judged).filter(wanted) {
        for traveller in upgrade_contexts(judged.package(), wish) {
            text.push_str(&format_group(judged, &traveller));
        }
    }
    (text.len() > before).then_some(text)
}

fn upgrade_contexts(package: &Package, wish: &RecordOptions) -> Vec<UpgradeContext> {
    let named = || wish.channels.iter().filter(|name| package.channel(name.as_str()).is_some()).cloned();
    let classic: Vec<ChannelName> = match package.default_channel() {
        Some(default) if wish.channels.is_empty() => {
            package.channel(default.as_str()).map(|_| default.clone()).into_iter().collect()
        }
        _ => named().collect(),
    };
    if classic.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for engine in wish.engines {
        match engine {
            Engine::Classic => all.extend(classic.iter().cloned().map(UpgradeContext::Classic)),
            Engine::V1 => {
                all.push(UpgradeContext::V1(Query { channels: named().collect(), ..Query::default() }));
            }
        }
    }
    all
}

fn format_heading(package: &Package, traveller: &UpgradeContext) -> String {
    let name = write_inline_scalar(package.name.as_str());
    match traveller {
        UpgradeContext::Classic(channel) => {
            let default = package.default_channel() == Some(channel);
            let default = if default { ", its default channel" } else { "" };
            format!("{name}: Classic in {}{default}", write_inline_scalar(channel.as_str()))
        }
        UpgradeContext::V1(query) => match query.channels.as_slice() {
            [] => format!("{name}: v1, any channel"),
            names => format!("{name}: v1 in {}", join_channel_names(names)),
        },
    }
}

fn join_channel_names(names: &[ChannelName]) -> String {
    names.iter().map(|name| write_inline_scalar(name.as_str())).collect::<Vec<_>>().join(", ")
}

/// Writes the rows of one traveller: the new installation, then bundles, highest version first.
fn format_group(judged: &PackageState, traveller: &UpgradeContext) -> String {
    let graph = &judged.graph;
    let package = judged.package();
    let fresh = match traveller {
        UpgradeContext::Classic(channel) => graph.resolve_classic(channel.as_str(), None),
        UpgradeContext::V1(query) => graph.resolve_v1(query, None),
    };
    let fresh = match (fresh.error, fresh.pick) {
        (Some(error), _) => Some(NextUpgrade::Error(error)),
        (None, pick) => pick.map(NextUpgrade::To),
    };
    let names = ShortNames::from_package(judged);
    let expect = |next: &NextUpgrade| match expect_same_answer(next) {
        ExpectedResult::Pick(name) => ExpectedResult::Pick(names.shortest_name(&name)),
        other => other,
    };
    let mut rows: Vec<(Vec<String>, ExpectedResult)> = Vec::new();
    let resolver = match traveller {
        UpgradeContext::V1(query) => Some(graph.v1_resolver(query)),
        UpgradeContext::Classic(_) => None,
    };
    for installed in list_installable(package, traveller) {
        let next = match (traveller, &resolver) {
            (_, Some(resolver)) => table::v1_next(resolver, &installed),
            (UpgradeContext::Classic(channel), _) => match graph.channel(channel.as_str()) {
                Some(channel) => table::classic_next(channel, &installed),
                None => continue,
            },
            (UpgradeContext::V1(_), None) => continue,
        };
        let (name, expect) = (names.shortest_name(installed.name.as_str()), expect(&next));
        match rows.last_mut() {
            Some((installed, last)) if *last == expect => installed.push(name),
            _ => rows.push((vec![name], expect)),
        }
    }
    let mut text = format!("\n# {}\n", format_heading(package, traveller));
    text.push_str(&formatter::format_block("", &formatter::query_members(&package.name, traveller)));
    text.push_str("  expectations:\n");
    let fresh = fresh.iter().map(|next| (Vec::new(), expect(next)));
    let rows = fresh.chain(rows).map(|(installed, expect)| {
        formatter::format_item("  ", &formatter::result_members(installed, &expect))
    });
    let before = text.len();
    text.extend(rows);
    if text.len() > before { text } else { String::new() }
}

/// Short names of the bundles of a package: their version if it is unique.
struct ShortNames<'a> {
    judged: &'a PackageState,
    /// Number of bundles per version.
    versions: HashMap<String, usize>,
}

impl<'a> ShortNames<'a> {
    fn from_package(judged: &'a PackageState) -> Self {
        let mut versions: HashMap<String, usize> = HashMap::new();
        for version in judged.package().bundles.iter().filter_map(|bundle| bundle.version.as_ref()) {
            let (whole, plain) = (version.to_string(), version.version.to_string());
            if plain != whole {
                *versions.entry(plain).or_default() += 1;
            }
            *versions.entry(whole).or_default() += 1;
        }
        Self { judged, versions }
    }

    fn shortest_name(&self, name: &str) -> String {
        let version = self.judged.package().bundle_version(name).map(ToString::to_string);
        let is_free = |version: &String| {
            self.versions.get(version) == Some(&1) && !check::is_known_name(&self.judged.graph, version)
        };
        version.filter(is_free).unwrap_or_else(|| name.to_owned())
    }
}

/// Returns the recorded bundles: those of the selected channels, highest version first.
fn list_installable(package: &Package, traveller: &UpgradeContext) -> Vec<Installed> {
    let default = || package.default_channel().into_iter().cloned().collect();
    let channels: Vec<ChannelName> = match traveller {
        UpgradeContext::Classic(channel) => vec![channel.clone()],
        UpgradeContext::V1(query) if query.channels.is_empty() => default(),
        UpgradeContext::V1(query) => query.channels.clone(),
    };
    let entries: HashSet<&BundleName> = package
        .channels
        .iter()
        .filter(|channel| channels.contains(&channel.name.value))
        .flat_map(|channel| channel.entries.iter().map(|entry| &entry.name.value))
        .collect();
    let mut seen = HashSet::new();
    let names = package.bundles.iter().map(|bundle| &bundle.name.value);
    let names =
        names.filter(|name| !name.as_str().is_empty() && entries.contains(name) && seen.insert(*name));
    let mut installed: Vec<Installed> = names.map(|name| Installed::from_package(package, name)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}
