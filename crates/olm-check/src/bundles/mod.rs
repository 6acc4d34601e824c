//! Findings about bundle directories: verdicts of opm and OLM, and problems that they accept.
//!
//! This module does not read files; the caller passes a [`LoadedBundle`]. The order of the findings
//! depends only on the directory: first by location, then by rule.

pub(super) mod annotations;
mod bundle_subject;
pub(super) mod crds;
pub(super) mod csv_fields;
mod dockerfile;
mod duplicates;
pub(super) mod examples;
pub(super) mod images;
pub(super) mod labels;
mod location;
pub(super) mod manifests;
pub(super) mod needs;
pub(super) mod operator_conditions;
mod shared_rules;
mod verdicts;
pub(super) mod webhooks;

use std::{collections::BTreeMap, ops::Range, path::Path};

use super::{
    finding::{Finding, FindingLocation},
    findings::Findings,
    rule::{Check, Rule, RuleProperty},
    rules,
};
use olm_bundle::{
    Tree, TreeFile,
    document::DocumentCache,
    registry::{Csv, Object},
    suites::{self, Suite},
};
use olm_catalog::{BundleName, Node, PackageName, Span, package::Package};
use olm_upgrade::openshift::OpenShift;

pub use bundle_subject::BundleSubject;

pub use location::BundleFileLocation;
pub use verdicts::{OriginalVerdict, VerdictProgram};

/// Bundle directory in memory.
#[derive(Clone, Copy, Debug)]
pub struct LoadedBundle<'a> {
    /// Files of the directory.
    pub tree: &'a Tree,
    /// Path of the directory in locations.
    pub display_path: &'a Path,
    /// Name of the directory; `None` if unknown.
    pub name: Option<&'a str>,
    /// `bundle.Dockerfile` next to the directory, if it exists. The tree contains a Dockerfile
    /// that is inside.
    pub dockerfile: Option<&'a TreeFile>,
    /// Labels of the image; `None` for a directory on disk.
    pub labels: Option<&'a BTreeMap<String, String>>,
}

/// Options of a check of a bundle directory.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub struct BundleChecks {
    /// Suites to run.
    pub suites: Vec<Suite>,
    /// True to check what OLM Classic refuses at install.
    pub classic: bool,
    /// True to check what OLM v1 refuses.
    pub v1: bool,
    /// True to check olmap's own rules.
    pub own_rules: bool,
    /// True to check those own rules that are about refusals of OLM Classic.
    pub own_rules_for_classic: bool,
    /// True to merge duplicate findings, and consequences into their cause.
    pub merges_duplicates: bool,
    /// Further settings of the suites.
    pub suite_settings: suites::Settings,
    /// OpenShift versions of the open catalogs.
    pub openshift: Vec<OpenShift>,
}

impl BundleChecks {
    /// Suites that `operator-sdk bundle validate` runs without options.
    pub const USUAL_SUITES: [Suite; 5] =
        [Suite::Format, Suite::Content, Suite::Bundle, Suite::Csv, Suite::Crd];

    /// Returns options that check nothing.
    pub fn none() -> Self {
        Self {
            suites: Vec::new(),
            classic: false,
            v1: false,
            own_rules: false,
            own_rules_for_classic: false,
            merges_duplicates: false,
            suite_settings: suites::Settings::default(),
            openshift: Vec::new(),
        }
    }

    /// Returns the default checks of other programs: the usual suites and OLM Classic.
    pub fn parity() -> Self {
        Self { suites: Self::USUAL_SUITES.to_vec(), classic: true, merges_duplicates: true, ..Self::none() }
    }
}

impl Default for BundleChecks {
    /// Returns the default checks of other programs, and olmap's own rules.
    fn default() -> Self {
        Self { own_rules: true, ..Self::parity() }
    }
}

/// Returns the findings of a bundle directory.
pub fn check_bundle(directory: &LoadedBundle<'_>, questions: &BundleChecks) -> Vec<Finding> {
    // All checks share the parsed manifests.
    let readings = DocumentCache::default();
    let inside = BundleSubject::new(directory, questions, &readings);
    let said = verdicts::verdicts_on_contents(directory.tree, &readings, inside.contents(), questions);
    let mut found = Findings::default();
    found.extend(
        said.into_iter()
            .map(|(by, verdict)| verdicts::verdict_finding(inside.bundle_locations(), by, verdict)),
    );
    let is_asked = |rule: &Rule| {
        questions.own_rules || questions.own_rules_for_classic && rule.has(RuleProperty::ClassicWebhook)
    };
    for rule in rules::ALL.iter().filter(|rule| is_asked(rule)) {
        if let Check::Bundle(check) = rule.check {
            check(&inside, &mut found);
        }
    }
    if questions.own_rules {
        shared_rules::check_shared_rules(&inside, &mut found);
    }
    let mut found = found.into_vec();
    if questions.merges_duplicates {
        duplicates::merge_repeated(&mut found);
        duplicates::merge_same_cause(&mut found);
        duplicates::merge_unreadable(&mut found, directory.tree);
    } else {
        duplicates::explain_missing_csv(&mut found, directory.tree);
    }
    if questions.merges_duplicates && questions.own_rules {
        duplicates::merge_consequences(
            &mut found,
            directory.tree,
            &manifests::lost_object_fixes(&inside),
            questions,
        );
        duplicates::merge_missing_examples(&mut found);
    }
    let name = inside.contents().any_csv().map(Csv::name).filter(|name| !name.is_empty());
    let package = Some(inside.contents().package()).filter(|name| !name.is_empty());
    let origin =
        FindingOrigin { package: package.map(PackageName::from), bundle: name.map(BundleName::from) };
    origin.set_on(&mut found, directory);
    found.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    found
}

/// Adds the findings from the directories of a package's bundles to the findings of the package.
/// A default channel that another bundle has is correct. An unknown default channel of the package
/// is reported once, in the file of the bundle.
pub(crate) fn add_bundle_findings(package: &Package, findings: &mut Vec<Finding>, in_bundles: &[Finding]) {
    for finding in in_bundles {
        let channel = finding.channel.as_ref().filter(|_| *finding.rule == rules::DEFAULT_NOT_LISTED);
        let Some(channel) = channel else {
            findings.push(finding.clone());
            continue;
        };
        if package.channel(channel.as_str()).is_some() {
            continue;
        }
        let is_unknown = |known: &&mut Finding| {
            *known.rule == rules::UNKNOWN_DEFAULT_CHANNEL && known.channel == finding.channel
        };
        match findings.iter_mut().find(is_unknown) {
            Some(known) => known.at.clone_from(&finding.at),
            None => findings.push(finding.clone()),
        }
    }
}

/// Bundle that findings are about.
struct FindingOrigin {
    package: Option<PackageName>,
    bundle: Option<BundleName>,
}

impl FindingOrigin {
    /// Sets the bundle of findings and of their merged findings. The default location is the
    /// directory.
    fn set_on(&self, found: &mut [Finding], directory: &LoadedBundle<'_>) {
        for finding in found {
            finding.bundle.clone_from(&self.bundle);
            finding.package.clone_from(&self.package);
            finding.at.get_or_insert_with(|| FindingLocation::File(directory.display_path.to_owned()));
            self.set_on(&mut finding.merged, directory);
        }
    }
}

/// Returns the sort key of a finding: file, span, rule and message.
fn sort_key(finding: &Finding) -> (Option<(&Path, Span)>, &str, &str) {
    let place = finding.at.as_ref().and_then(|at| match at {
        FindingLocation::File(path) => Some((path.as_path(), Span::default())),
        FindingLocation::InBundle(spot) => Some((spot.path.as_path(), spot.span)),
        FindingLocation::Document(..) => None,
    });
    (place, finding.rule.id, &finding.message)
}

/// Text of a scalar, with its position in the document. Positions inside are exact for block text
/// and for quotes without escapes. Otherwise the position is that of the whole scalar.
struct EmbeddedText<'t> {
    scalar: Span,
    text: &'t str,
    notation: Notation,
}

/// Notation of a scalar.
enum Notation {
    /// Quotes without escapes.
    Quoted,
    /// Block of lines.
    Block(Vec<Line>),
    /// Escapes or folded lines; exact positions are unknown.
    Inexact,
}

/// Line of a text, and the same line in the scalar.
struct Line {
    /// Offset of the line in the text.
    text: usize,
    /// Byte range of the line in the scalar; `None` if the notation differs.
    raw: Option<Range<usize>>,
}

impl<'t> EmbeddedText<'t> {
    fn new(object: &Object<'_>, scalar: &Node<'_>, text: &'t str) -> Self {
        let start = object.document.start + scalar.span.start as usize;
        let raw =
            object.file.content_or_empty().get(start..start + scalar.span.range().len()).unwrap_or_default();
        let written = match raw {
            [b'"' | b'\'', inside @ .., _] if inside == text.as_bytes() => Notation::Quoted,
            [b'|', ..] => Notation::Block(block_lines(raw, text)),
            _ => Notation::Inexact,
        };
        Self { scalar: scalar.span, text, notation: written }
    }

    /// Returns the position of a part of the text in the document.
    fn span_in_document(&self, part: Span) -> Span {
        let begin = self.scalar.start as usize;
        match self.exact_range(part.range()) {
            Some(place) => Span::new(begin + place.start, begin + place.end),
            None => self.scalar,
        }
    }

    fn exact_range(&self, part: Range<usize>) -> Option<Range<usize>> {
        match &self.notation {
            Notation::Quoted => Some(part.start + 1..part.end + 1),
            Notation::Block(lines) => {
                self.text.get(part.clone())?;
                let line =
                    lines.get(lines.partition_point(|line| line.text <= part.start).checked_sub(1)?)?;
                let raw = line.raw.as_ref()?;
                let start = raw.start + part.start - line.text;
                // Only the first line of a part with several lines is marked.
                let end = (start + part.len()).min(raw.end);
                Some(start..end.max(start))
            }
            Notation::Inexact => None,
        }
    }
}

/// Returns the lines of a block scalar; its first line is the header.
fn block_lines(raw: &[u8], text: &str) -> Vec<Line> {
    let mut at = 0;
    let mut written = Vec::new();
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        written.push((at, line.trim_ascii_end()));
        at += line.len();
    }
    let mut start = 0;
    let mut lines = Vec::new();
    for (line, raw) in text.split_inclusive('\n').zip(written.iter().skip(1)) {
        let (at, raw) = *raw;
        let meant = line.trim_ascii_end().as_bytes();
        let indent = raw.len().checked_sub(meant.len());
        let is_it = |indent: &usize| raw.get(*indent..) == Some(meant);
        lines.push(Line { text: start, raw: indent.filter(is_it).map(|indent| at + indent..at + raw.len()) });
        start += line.len();
    }
    lines
}

/// Replacement of bytes in one file; all other bytes stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BundleFix {
    /// Path of the file in the bundle directory.
    pub file: String,
    /// Replaced spans with their new text, sorted and without overlaps.
    pub splices: Vec<(Span, String)>,
}

impl BundleFix {
    /// Adds the splices of another fix of the same file. Adds none of them and returns false if one overlaps.
    pub fn merge(&mut self, other: &Self) -> bool {
        // The existing splices are sorted and do not overlap, so only the neighbours of a span
        // can overlap it.
        let is_apart = |(span, _): &(Span, String)| {
            let next = self.splices.partition_point(|(taken, _)| taken.end <= span.start);
            self.splices.get(next).is_none_or(|(taken, _)| span.end <= taken.start)
        };
        let fits = other.splices.iter().all(is_apart);
        if fits {
            self.splices.extend(other.splices.iter().cloned());
            self.splices.sort_by_key(|(span, _)| *span);
        }
        fits
    }

    /// Applies the fix to the content of the file; `None` if a span is outside the content.
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut mended = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for (span, text) in &self.splices {
            let range = span.range();
            mended.extend_from_slice(bytes.get(done..range.start)?);
            mended.extend_from_slice(text.as_bytes());
            done = range.end;
        }
        mended.extend_from_slice(bytes.get(done..)?);
        Some(mended)
    }
}

/// Distance in bytes between stored character counts.
const BLOCK: usize = 1024;

/// Index of a text: the start of each line, and the number of characters before each block.
#[derive(Debug)]
struct LineIndex<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
    blocks: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    fn new(text: &'t [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1)).collect();
        let mut count = 0;
        let mut blocks = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.chunks(BLOCK) {
            blocks.push(count);
            count += count_characters(block);
        }
        // A position at the end of the text needs a block, too.
        blocks.push(count);
        Self { text, starts, blocks }
    }

    fn text(&self) -> &'t [u8] {
        self.text
    }

    /// Returns the number of characters that begin before a byte offset.
    fn characters_before(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let rest = self.text.get(block * BLOCK..at).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + count_characters(rest)
    }

    /// Returns line and column (in characters) of a byte offset, both from 1.
    fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= at);
        let first = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        (line, self.characters_before(at) - self.characters_before(first) + 1)
    }
}

/// Counts the bytes that begin a character.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::EmbeddedText;
    use olm_bundle::{TreeFile, document, registry::Object};
    use olm_catalog::Span;

    /// Returns the YAML at the position of each part.
    fn text_at_parts(yaml: &str, parts: &[&str]) -> Vec<String> {
        let file = TreeFile { path: "manifests/a.yaml".to_owned(), content: Ok(yaml.into()) };
        let object =
            Object { file: &file, document: document::parse_first(file.content_or_empty()).unwrap().into() };
        let scalar = object.document.node.get("a").unwrap();
        let text = scalar.as_str().unwrap();
        let embedded = EmbeddedText::new(&object, scalar, text);
        let place = |part: &&str| {
            let start = text.find(part).unwrap();
            let span = embedded.span_in_document(Span::new(start, start + part.len()));
            yaml[object.document.start..][span.range()].to_owned()
        };
        parts.iter().map(place).collect()
    }

    #[test]
    fn places_parts_at_their_position_in_yaml() {
        assert_eq!(text_at_parts("a: |\n  [1,\n\n   2]\n", &["1", "2]", "1,\n\n 2]"]), ["1", "2]", "1,"]);
        assert_eq!(text_at_parts("b: x\na: '[1, 2]'\n", &["2"]), ["2"]);
        assert_eq!(text_at_parts("a: \"[\\u0031, 2]\"\n", &["2"]), ["\"[\\u0031, 2]\""], "escapes");
        assert_eq!(text_at_parts("a: >\n  [1,\n  2]\n", &["2"]), [">\n  [1,\n  2]"], "folded");
    }

    mod lines {
        use proptest::prelude::*;

        use super::super::{BLOCK, LineIndex};

        #[test]
        fn columns_count_characters() {
            let lines = LineIndex::new("a\u{e4}b\n\nc".as_bytes());
            for (at, expected) in
                [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (4, (1, 4)), (5, (2, 1)), (6, (3, 1)), (9, (3, 2))]
            {
                assert_eq!(lines.line_and_column(at), expected, "{at}");
            }
            assert_eq!(LineIndex::new(b"").line_and_column(5), (1, 1));
        }

        proptest! {
            #[test]
            fn index_agrees_with_counting(parts in prop::collection::vec("[a\u{e4}\n]{0,700}", 0..6), at in 0..BLOCK * 5) {
                let text = parts.concat();
                let at = text.floor_char_boundary(at.min(text.len()));
                let (before, line) = (&text[..at], text[..at].matches('\n').count() + 1);
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                prop_assert_eq!(LineIndex::new(text.as_bytes()).line_and_column(at), (line, column));
            }
        }
    }
}
