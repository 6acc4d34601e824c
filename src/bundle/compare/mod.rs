//! What differs between two bundles: their outlines row by row, and what of it somebody should look at first.

mod concern;
mod images;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

pub use concern::{Concern, ConcernKind};

use super::inside::{Inside, Part, Row, Section};

/// Two bundles and what differs between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The old one's name.
    pub old: String,
    /// The new one's name.
    pub new: String,
    /// What matters, the worst first.
    pub concerns: Vec<Concern>,
    /// The sections that differ or cannot be compared, in the order of an outline.
    pub sections: Vec<SectionDifference>,
}

/// A section of both outlines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionDifference {
    /// Which one.
    pub part: Part,
    /// Why it cannot be compared, where one of the two does not have it.
    pub gap: Option<&'static str>,
    /// The rows that differ, in the order of the new outline; what is gone stands where it was.
    pub rows: Vec<RowDifference>,
}

/// A row that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowDifference {
    /// The labels of the rows that it belongs to, the outermost first.
    pub above: Vec<String>,
    /// The row in the old outline.
    pub before: Option<Row>,
    /// The row in the new one.
    pub after: Option<Row>,
}

/// What became of something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fate {
    /// Only the new bundle has it.
    Added,
    /// Only the old one had it.
    Removed,
    /// Both have it, and not the same.
    Changed,
}

impl Fate {
    /// Its word, as JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }

    /// Its mark.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Removed => "-",
            Self::Changed => "~",
        }
    }
}

impl RowDifference {
    /// What became of it.
    pub fn fate(&self) -> Fate {
        match (&self.before, &self.after) {
            (None, _) => Fate::Added,
            (_, None) => Fate::Removed,
            _ => Fate::Changed,
        }
    }

    /// The row as it is now, or was last.
    pub fn row(&self) -> Option<&Row> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// What it says, or from what to what; empty where nothing is said on one line.
    pub fn words(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => changed(before, after),
            (Some(row), None) | (None, Some(row)) => said(row),
            (None, None) => String::new(),
        }
    }
}

/// The parts that are compared. Files tell of the same things in bytes.
fn is_compared(part: Part) -> bool {
    part != Part::Files
}

impl Comparison {
    /// Compares two outlines.
    pub fn between(old: &Inside, new: &Inside) -> Self {
        let sections: Vec<SectionDifference> = Part::ALL
            .into_iter()
            .filter(|part| is_compared(*part))
            .map(|part| section(part, unlike(part, old, new), old.section(part), new.section(part)))
            .filter(|section| section.gap.is_some() || !section.rows.is_empty())
            .collect();
        let mut concerns: Vec<Concern> =
            sections.iter().flat_map(|section| concern::of(section, new)).collect();
        concerns.sort_by_key(|concern| concern.kind);
        Self { old: old.name.clone(), new: new.name.clone(), concerns, sections }
    }

    /// Whether nothing differs, as far as that is known.
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|section| section.rows.is_empty())
    }
}

/// Why a part cannot be compared where the two were read from different sources: each source tells other things of it.
fn unlike(part: Part, old: &Inside, new: &Inside) -> Option<&'static str> {
    let is_alike = match part {
        // What the ClusterServiceVersion says is the same in all.
        Part::Description | Part::InstallModes | Part::Required | Part::Examples | Part::Links => true,
        Part::Permissions | Part::Webhooks | Part::Deployments | Part::Objects => true,
        Part::Identity | Part::Platform | Part::Owned | Part::Images | Part::Dependencies | Part::Files => {
            old.source == new.source
        }
    };
    (!is_alike).then_some("one was read from its directory or objects, the other from less")
}

fn section(
    part: Part,
    gap: Option<&'static str>,
    old: Option<&Section>,
    new: Option<&Section>,
) -> SectionDifference {
    let gap = [old, new].into_iter().flatten().find_map(|section| section.gap).or(gap);
    let of = |section: Option<&Section>| section.map(|section| section.rows.clone()).unwrap_or_default();
    let rows = match (gap, part) {
        (Some(_), _) => Vec::new(),
        (None, Part::Images) => {
            let (old, new) = images::keyed(of(old), of(new));
            rows(part, &old, &new)
        }
        (None, _) => rows(part, &of(old), &of(new)),
    };
    SectionDifference { part, gap, rows }
}

fn rows(part: Part, old: &[Row], new: &[Row]) -> Vec<RowDifference> {
    let known: HashMap<&str, &Row> = old.iter().map(|row| (row.key.as_str(), row)).collect();
    let stays: HashSet<&str> = new.iter().map(|row| row.key.as_str()).collect();
    let mut differences = Vec::new();
    // What is gone stands behind what it stood behind.
    let mut gone = Gone::new(old, &stays);
    gone.before_all(&mut differences);
    let mut above = Above::default();
    for row in new {
        let belongs_to = above.of(row);
        match known.get(row.key.as_str()) {
            None => {
                differences.push(RowDifference { above: belongs_to, before: None, after: Some(row.clone()) });
            }
            Some(before) if differs(part, before, row) => differences.push(RowDifference {
                above: belongs_to,
                before: Some((*before).clone()),
                after: Some(row.clone()),
            }),
            Some(_) => {}
        }
        gone.behind(&row.key, &mut differences);
    }
    differences
}

/// Rows that are gone, by the row that they stood behind.
struct Gone<'r> {
    first: Vec<RowDifference>,
    behind: HashMap<&'r str, Vec<RowDifference>>,
}

impl<'r> Gone<'r> {
    fn new(old: &'r [Row], stays: &HashSet<&str>) -> Self {
        let mut gone = Self { first: Vec::new(), behind: HashMap::new() };
        let mut above = Above::default();
        let mut last: Option<&str> = None;
        for row in old {
            let belongs_to = above.of(row);
            if stays.contains(row.key.as_str()) {
                last = Some(&row.key);
                continue;
            }
            let place = match last {
                Some(key) => gone.behind.entry(key).or_default(),
                None => &mut gone.first,
            };
            place.push(RowDifference { above: belongs_to, before: Some(row.clone()), after: None });
        }
        gone
    }

    fn before_all(&mut self, differences: &mut Vec<RowDifference>) {
        differences.append(&mut self.first);
    }

    fn behind(&mut self, key: &str, differences: &mut Vec<RowDifference>) {
        differences.extend(self.behind.remove(key).unwrap_or_default());
    }
}

/// The labels of the rows that a row belongs to.
#[derive(Default)]
struct Above(Vec<(u8, String)>);

impl Above {
    fn of(&mut self, row: &Row) -> Vec<String> {
        self.0.retain(|(level, _)| *level < row.level);
        let labels = self.0.iter().map(|(_, label)| label.clone()).collect();
        self.0.push((row.level, row.label.clone()));
        labels
    }
}

/// Whether a row says something else. What only sums up other rows does not count.
fn differs(part: Part, before: &Row, after: &Row) -> bool {
    let is_sum = part == Part::Permissions && after.level == 0;
    let notes = |row: &Row| if is_remark(part, row) { String::new() } else { row.note.clone() };
    (!is_sum && before.value != after.value)
        || before.dangers != after.dangers
        || before.body != after.body
        || before.unseen != after.unseen
        || notes(before) != notes(after)
}

/// Whether the note of a row follows from what is said elsewhere.
fn is_remark(part: Part, row: &Row) -> bool {
    part == Part::Permissions || (part == Part::Owned && row.level > 0 && row.label == "descriptors")
}

/// What a row says on one line.
fn said(row: &Row) -> String {
    match (row.value.is_empty(), row.note.is_empty()) {
        (_, true) => row.value.clone(),
        (true, false) => format!("({})", row.note),
        (false, false) => format!("{}  ({})", row.value, row.note),
    }
}

/// Rows of which a long value is a list of words: told by those that came and went.
const LISTS: [&str; 5] = ["args", "command", "env", "requests", "limits"];

/// From which length on.
const LONG: usize = 60;

fn changed(before: &Row, after: &Row) -> String {
    if before.value == after.value {
        if before.body != after.body || (before.unseen != after.unseen && before.note == after.note) {
            let what = if before.body == after.body { "differs in what is not shown" } else { "differs" };
            return [after.value.as_str(), what].join("  ").trim_start().to_owned();
        }
        return format!("{}  ({} => {})", after.value, shown(&before.note), shown(&after.note));
    }
    // A variable is called by its name once.
    let variable =
        |row: &Row| row.value.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let named = (after.label == "env").then(|| variable(before).zip(variable(after))).flatten();
    let (name, old, new) = match named {
        Some(((name, old), (same, new))) if name == same => (format!("{name}: "), old, new),
        _ => (String::new(), before.value.clone(), after.value.clone()),
    };
    let longest = old.chars().count().max(new.chars().count());
    let is_list = LISTS.contains(&after.label.as_str()) && words(&old).len().min(words(&new).len()) > 1;
    if is_list
        && longest > LONG
        && let Some(words) = came_and_went(&words(&old), &words(&new))
    {
        return format!("{name}{words}");
    }
    format!("{name}{} => {}", shown(&old), shown(&new))
}

fn shown(text: &str) -> Cow<'_, str> {
    if text.is_empty() { "nothing".into() } else { text.into() }
}

fn words(text: &str) -> Vec<&str> {
    text.split([' ', ',']).filter(|word| !word.is_empty()).collect()
}

/// The words of one list that the other does not have, or not as often; nothing where they only changed places: an
/// argument may be the value of the one before it.
fn came_and_went(old: &[&str], new: &[&str]) -> Option<String> {
    let less = |of: &[&str], without: &[&str], mark: &str| -> Vec<String> {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for word in without {
            *known.entry(word).or_default() += 1;
        }
        let is_left = |word: &&&str| match known.get_mut(**word) {
            Some(times @ 1..) => {
                *times -= 1;
                false
            }
            _ => true,
        };
        // Brackets of a JSON value say nothing by themselves.
        let says = |word: &&&str| word.contains(char::is_alphanumeric);
        of.iter().filter(says).filter(is_left).map(|word| format!("{mark}{word}")).collect()
    };
    let all = [less(old, new, "without "), less(new, old, "now ")].concat();
    (!all.is_empty()).then(|| all.join(", "))
}
