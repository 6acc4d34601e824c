//! Differences between two bundles: their outlines row by row, and the concerns among them.

mod concern;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::outline::{Outline, Part, Row, Section};

pub use concern::{Concern, ConcernKind};

/// Differences between two bundles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Name of the old bundle.
    pub old: String,
    /// Name of the new bundle.
    pub new: String,
    /// Concerns, the worst first.
    pub concerns: Vec<Concern>,
    /// Sections that differ or cannot be compared, in the order of an outline.
    pub sections: Vec<SectionDifference>,
}

/// Differences of a section in both outlines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionDifference {
    /// Part of the outline.
    pub part: Part,
    /// Reason why the section cannot be compared, if one of the bundles does not have it.
    pub gap: Option<&'static str>,
    /// Different rows, in the order of the new outline; removed rows are at their old position.
    pub rows: Vec<RowDifference>,
}

/// A row that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowDifference {
    /// Labels of its parent rows, the outermost first.
    pub above: Vec<String>,
    /// Row in the old outline.
    pub before: Option<Row>,
    /// Row in the new outline.
    pub after: Option<Row>,
}

/// Kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeKind {
    /// Only the new bundle has it.
    Added,
    /// Only the old bundle has it.
    Removed,
    /// Both bundles have it, but it differs.
    Changed,
}

impl ChangeKind {
    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }

    /// Returns its mark in text output.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Removed => "-",
            Self::Changed => "~",
        }
    }
}

impl RowDifference {
    /// Returns the kind of the change.
    pub fn change_kind(&self) -> ChangeKind {
        match (&self.before, &self.after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        }
    }

    /// Returns the new row, or the old one if it was removed.
    pub fn latest_row(&self) -> Option<&Row> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// Formats the change on one line; empty if the row does not have text.
    pub fn summary(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format_changed_value(before, after),
            (Some(row), None) | (None, Some(row)) => format_row(row),
            (None, None) => String::new(),
        }
    }
}

/// Returns true if a part is compared. Files contain the same data as bytes.
fn is_compared(part: Part) -> bool {
    part != Part::Files
}

impl Comparison {
    /// Compares two outlines.
    pub fn compare_outlines(old: &Outline, new: &Outline) -> Self {
        let sections: Vec<SectionDifference> = Part::ALL
            .into_iter()
            .filter(|part| is_compared(*part))
            .map(|part| {
                compare_sections(part, source_mismatch(part, old, new), old.section(part), new.section(part))
            })
            .filter(|section| section.gap.is_some() || !section.rows.is_empty())
            .collect();
        let mut concerns: Vec<Concern> =
            sections.iter().flat_map(|section| concern::find_concerns(section, new)).collect();
        concerns.sort_by_key(|concern| concern.kind);
        Self { old: old.name.clone(), new: new.name.clone(), concerns, sections }
    }

    /// Returns true if there are no known differences.
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|section| section.rows.is_empty())
    }
}

/// Returns the reason why a part cannot be compared if the two bundles have different sources, because their
/// data differ.
fn source_mismatch(part: Part, old: &Outline, new: &Outline) -> Option<&'static str> {
    let is_alike = match part {
        // The content of the ClusterServiceVersion is the same in all sources.
        Part::Description | Part::InstallModes | Part::Required | Part::Examples | Part::Links => true,
        Part::Permissions | Part::Webhooks | Part::Deployments | Part::Objects => true,
        Part::Identity | Part::Platform | Part::Owned | Part::Images | Part::Dependencies | Part::Files => {
            old.source == new.source
        }
    };
    (!is_alike).then_some("one was read from its directory or objects, the other from less")
}

fn compare_sections(
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
            let (old, new) = assign_keys(of(old), of(new));
            compare_rows(part, &old, &new)
        }
        (None, _) => compare_rows(part, &of(old), &of(new)),
    };
    SectionDifference { part, gap, rows }
}

fn compare_rows(part: Part, old: &[Row], new: &[Row]) -> Vec<RowDifference> {
    let known: HashMap<&str, &Row> = old.iter().map(|row| (row.key.as_str(), row)).collect();
    let stays: HashSet<&str> = new.iter().map(|row| row.key.as_str()).collect();
    let mut differences = Vec::new();
    // A removed row follows the row that it followed before.
    let mut gone = RemovedRows::new(old, &stays);
    gone.take_first(&mut differences);
    let mut above = ParentLabels::default();
    for row in new {
        let belongs_to = above.labels_above(row);
        match known.get(row.key.as_str()) {
            None => {
                differences.push(RowDifference { above: belongs_to, before: None, after: Some(row.clone()) });
            }
            Some(before) if row_differs(part, before, row) => differences.push(RowDifference {
                above: belongs_to,
                before: Some((*before).clone()),
                after: Some(row.clone()),
            }),
            Some(_) => {}
        }
        gone.take_following(&row.key, &mut differences);
    }
    differences
}

/// Removed rows, by the preceding row.
struct RemovedRows<'r> {
    first: Vec<RowDifference>,
    following: HashMap<&'r str, Vec<RowDifference>>,
}

impl<'r> RemovedRows<'r> {
    fn new(old: &'r [Row], stays: &HashSet<&str>) -> Self {
        let mut gone = Self { first: Vec::new(), following: HashMap::new() };
        let mut above = ParentLabels::default();
        let mut last: Option<&str> = None;
        for row in old {
            let belongs_to = above.labels_above(row);
            if stays.contains(row.key.as_str()) {
                last = Some(&row.key);
                continue;
            }
            let place = match last {
                Some(key) => gone.following.entry(key).or_default(),
                None => &mut gone.first,
            };
            place.push(RowDifference { above: belongs_to, before: Some(row.clone()), after: None });
        }
        gone
    }

    fn take_first(&mut self, differences: &mut Vec<RowDifference>) {
        differences.append(&mut self.first);
    }

    fn take_following(&mut self, key: &str, differences: &mut Vec<RowDifference>) {
        differences.extend(self.following.remove(key).unwrap_or_default());
    }
}

/// Stack of the labels of parent rows.
#[derive(Default)]
struct ParentLabels(Vec<(u8, String)>);

impl ParentLabels {
    fn labels_above(&mut self, row: &Row) -> Vec<String> {
        self.0.retain(|(level, _)| *level < row.level);
        let labels = self.0.iter().map(|(_, label)| label.clone()).collect();
        self.0.push((row.level, row.label.clone()));
        labels
    }
}

/// Returns true if a row changed. Rows that only summarize others do not count.
fn row_differs(part: Part, before: &Row, after: &Row) -> bool {
    let is_sum = part == Part::Permissions && after.level == 0;
    let notes = |row: &Row| if is_derived_note(part, row) { String::new() } else { row.note.clone() };
    (!is_sum && before.value != after.value)
        || before.dangers != after.dangers
        || before.body != after.body
        || before.hidden_hash != after.hidden_hash
        || notes(before) != notes(after)
}

/// Returns true if the note of a row follows from other rows.
fn is_derived_note(part: Part, row: &Row) -> bool {
    part == Part::Permissions || (part == Part::Owned && row.level > 0 && row.label == "descriptors")
}

/// Formats a row on one line.
fn format_row(row: &Row) -> String {
    match (row.value.is_empty(), row.note.is_empty()) {
        (_, true) => row.value.clone(),
        (true, false) => format!("({})", row.note),
        (false, false) => format!("{}  ({})", row.value, row.note),
    }
}

/// Rows whose long values are lists of words; their changes are shown as added and removed words.
const LISTS: [&str; 5] = ["args", "command", "env", "requests", "limits"];

/// Minimum length of a long value.
const MIN_LONG_VALUE: usize = 60;

fn format_changed_value(before: &Row, after: &Row) -> String {
    if before.value == after.value {
        if before.body != after.body || (before.hidden_hash != after.hidden_hash && before.note == after.note)
        {
            let what = if before.body == after.body { "other fields differ" } else { "differs" };
            return [after.value.as_str(), what].join("  ").trim_start().to_owned();
        }
        return format!(
            "{}  ({} => {})",
            after.value,
            text_or_nothing(&before.note),
            text_or_nothing(&after.note)
        );
    }
    // The name of a variable is shown once.
    let variable =
        |row: &Row| row.value.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let named = (after.label == "env").then(|| variable(before).zip(variable(after))).flatten();
    let (name, old, new) = match named {
        Some(((name, old), (same, new))) if name == same => (format!("{name}: "), old, new),
        _ => (String::new(), before.value.clone(), after.value.clone()),
    };
    let longest = old.chars().count().max(new.chars().count());
    let is_list =
        LISTS.contains(&after.label.as_str()) && split_words(&old).len().min(split_words(&new).len()) > 1;
    if is_list
        && longest > MIN_LONG_VALUE
        && let Some(words) = format_changed_words(&split_words(&old), &split_words(&new))
    {
        return format!("{name}{words}");
    }
    format!("{name}{} => {}", text_or_nothing(&old), text_or_nothing(&new))
}

fn text_or_nothing(text: &str) -> Cow<'_, str> {
    if text.is_empty() { "nothing".into() } else { text.into() }
}

fn split_words(text: &str) -> Vec<&str> {
    text.split([' ', ',']).filter(|word| !word.is_empty()).collect()
}

/// Returns the words of each list that the other does not have, or has less often. `None` if they were only
/// reordered, because an argument may be the value of the one before it.
fn format_changed_words(old: &[&str], new: &[&str]) -> Option<String> {
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
        // Brackets of a JSON value are ignored.
        let says = |word: &&&str| word.contains(char::is_alphanumeric);
        of.iter().filter(says).filter(is_left).map(|word| format!("{mark}{word}")).collect()
    };
    let all = [less(old, new, "without "), less(new, old, "now ")].concat();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Assigns keys to the images of two bundles. Common images match wherever they are listed; other images match
/// by name and repository, in order.
fn assign_keys(mut old: Vec<Row>, mut new: Vec<Row>) -> (Vec<Row>, Vec<Row>) {
    let values = |rows: &[Row]| rows.iter().map(|row| row.value.clone()).collect::<HashSet<_>>();
    let (in_old, in_new) = (values(&old), values(&new));
    for rows in [&mut old, &mut new] {
        let mut known: HashMap<String, usize> = HashMap::new();
        for row in rows.iter_mut() {
            let stays = in_old.contains(&row.value) && in_new.contains(&row.value);
            let key = if stays {
                format!("{} {}", row.label, row.value)
            } else {
                format!("{} {} ", row.label, without_tag_and_digest(&row.value))
            };
            let time = known.entry(key.clone()).or_default();
            *time += 1;
            row.key = format!("{key}#{time}");
        }
    }
    (old, new)
}

/// Returns an image without its tag and digest.
fn without_tag_and_digest(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => image,
    }
}
