//! Collection of findings. It lists the first findings of each rule in a file and counts the rest
//! in one more finding.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    path::PathBuf,
    sync::OnceLock,
};

use super::{
    finding::{Finding, FindingLocation, Unlisted},
    rule::Rule,
};
use olm_catalog::{DocId, Span, file::FileId, problem::MAX_COMPLETE};

/// Collection of the findings of rules about a package.
#[derive(Debug, Default)]
pub struct Findings {
    listed: Vec<Finding>,
    unlisted: HashMap<FindingGroup, UnlistedGroup>,
}

/// Id of a rule, with the file of the finding.
type FindingGroup = (&'static str, Option<AnyFile>);

/// A file of a catalog or of a bundle directory.
#[derive(Debug, PartialEq, Eq, Hash)]
enum AnyFile {
    Catalog(FileId),
    Bundle(PathBuf),
}

/// Findings of a rule in a file that are not listed.
#[derive(Debug)]
struct UnlistedGroup {
    rule: &'static Rule,
    unlisted: Unlisted,
    /// Location of the first of these findings.
    at: Option<FindingLocation>,
}

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        self.listed.push(finding);
        // Trims only at powers of two, since a trim processes all findings.
        if self.listed.len() >= 2 * MAX_COMPLETE && self.listed.len().is_power_of_two() {
            self.trim();
        }
    }

    /// Counts a finding without listing it.
    pub(super) fn push_unlisted(&mut self, rule: &'static Rule, doc: DocId, span: Span, text: &[u8]) {
        self.add_unlisted(rule, Some(FindingLocation::Document(doc, span)), keyed_hash(&text));
    }

    /// Returns all findings in insertion order.
    pub(super) fn into_vec(mut self) -> Vec<Finding> {
        if self.listed.len() > MAX_COMPLETE {
            self.trim();
        }
        for rest in self.unlisted.into_values() {
            let Unlisted { count, .. } = rest.unlisted;
            let (findings, are) = if count == 1 { ("finding", "is") } else { ("findings", "are") };
            let message = format!("{count} more {findings} of this rule in this file {are} not listed");
            let mut finding = Finding::new(rest.rule, message);
            finding.at = rest.at;
            finding.unlisted = Some(rest.unlisted);
            self.listed.push(finding);
        }
        self.listed
    }

    /// Keeps at most [`MOST`] findings of each rule in a file: the first by location. The result
    /// does not depend on the insertion order.
    fn trim(&mut self) {
        let mut groups: HashMap<FindingGroup, Vec<usize>> = HashMap::new();
        for (index, finding) in self.listed.iter().enumerate() {
            groups.entry(group_of(finding)).or_default().push(index);
        }
        let mut surplus = vec![false; self.listed.len()];
        for group in groups.values_mut().filter(|group| group.len() > MAX_COMPLETE) {
            group.sort_by_key(|index| self.listed.get(*index).map(|finding| (&finding.at, &finding.message)));
            for index in group.iter().skip(MAX_COMPLETE) {
                surplus[*index] = true;
            }
        }
        for (finding, is_surplus) in std::mem::take(&mut self.listed).into_iter().zip(surplus) {
            if is_surplus {
                let hash = finding.content_hash();
                self.add_unlisted(finding.rule, finding.at, hash);
            } else {
                self.listed.push(finding);
            }
        }
    }

    fn add_unlisted(&mut self, rule: &'static Rule, at: Option<FindingLocation>, hash: u64) {
        let group = (rule.id, file_of_location(at.as_ref()));
        let rest = self.unlisted.entry(group).or_insert(UnlistedGroup {
            rule,
            unlisted: Unlisted::default(),
            at: None,
        });
        rest.unlisted.count += 1;
        rest.unlisted.hash = rest.unlisted.hash.wrapping_add(hash);
        if rest.at.is_none() || at < rest.at {
            rest.at = at;
        }
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

fn group_of(finding: &Finding) -> FindingGroup {
    (finding.rule.id, file_of_location(finding.at.as_ref()))
}

fn file_of_location(at: Option<&FindingLocation>) -> Option<AnyFile> {
    match at? {
        FindingLocation::Document(doc, _) => Some(AnyFile::Catalog(doc.file)),
        FindingLocation::InBundle(spot) => Some(AnyFile::Bundle(spot.path.clone())),
        FindingLocation::File(_) => None,
    }
}

/// Hashes data that is too large to keep. The keys are random, so hashes are valid only in this process.
pub(super) fn keyed_hash(what: &impl Hash) -> u64 {
    static KEYS: OnceLock<RandomState> = OnceLock::new();
    KEYS.get_or_init(RandomState::new).hash_one(what)
}
