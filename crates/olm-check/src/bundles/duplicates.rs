//! Merging of findings: each problem is listed once. Duplicates and consequences become parts of
//! another finding.

use std::collections::{HashMap, HashSet};

use super::{BundleChecks, BundleFix, OriginalVerdict, manifests, verdicts};
use crate::{Finding, FindingLocation, Severity, format::format_list, rules};
use olm_bundle::{
    Tree, TreeFile,
    document::DocumentError,
    registry::CSV_KIND,
    suites::{Cause, Suite},
};

fn is_from_content_suite(finding: &Finding) -> bool {
    finding.verdict.as_ref().is_some_and(|said| said.validator == Suite::Content.name())
}

/// Merges verdicts of opm's suite `content` with the same verdicts of other suites. A verdict on
/// a missing CRD is merged with the verdict on the invalid name that hides the CRD. Repeated
/// verdicts of a suite are merged, too.
pub(super) fn merge_repeated(found: &mut Vec<Finding>) {
    let mut words: HashMap<DuplicateKey<'_>, usize> = HashMap::new();
    let mut causes: HashMap<&Cause, usize> = HashMap::new();
    let mut wrong_names: HashMap<&str, usize> = HashMap::new();
    let mut repeated: HashMap<(&str, DuplicateKey<'_>), usize> = HashMap::new();
    let verdicts = || found.iter().enumerate().filter(|(_, finding)| finding.verdict.is_some());
    for (at, finding) in verdicts() {
        if let Some(Cause::OwnedName(name)) = finding.cause.as_deref() {
            wrong_names.entry(name).or_insert(at);
        }
        repeated.entry((finding.rule.id, duplicate_key(finding))).or_insert(at);
        if !is_from_content_suite(finding) {
            words.entry(duplicate_key(finding)).or_insert(at);
            if let Some(cause) = finding.cause.as_deref() {
                causes.entry(cause).or_insert(at);
            }
        }
    }
    let leader = |finding: &Finding| -> Option<usize> {
        let by_cause = match finding.cause.as_deref() {
            // A CRD cannot have an invalid name.
            Some(Cause::OwnedCrd { name, .. }) if wrong_names.contains_key(name.as_str()) => {
                return wrong_names.get(name.as_str()).copied();
            }
            Some(cause @ Cause::MissingAnnotation(_)) => causes.get(cause).copied(),
            Some(cause) if is_from_content_suite(finding) => causes.get(cause).copied(),
            _ => None,
        };
        let key = duplicate_key(finding);
        let by_words = || words.get(&key).copied().filter(|_| is_from_content_suite(finding));
        by_cause.or_else(by_words).or_else(|| repeated.get(&(finding.rule.id, key)).copied())
    };
    let leaders: HashMap<usize, usize> =
        verdicts().filter_map(|(at, finding)| Some((at, leader(finding).filter(|to| *to != at)?))).collect();
    merge_into_leaders(found, &leaders);
}

/// Merges findings of our own rules with the verdicts that have the same cause.
pub(super) fn merge_same_cause(found: &mut Vec<Finding>) {
    let mut causes: HashMap<&Cause, usize> = HashMap::new();
    let all = || {
        found.iter().enumerate().filter_map(|(at, finding)| Some((at, finding, finding.cause.as_deref()?)))
    };
    for (at, _, cause) in all().filter(|(_, finding, _)| finding.verdict.is_some()) {
        causes.entry(cause).or_insert(at);
    }
    let own = all().filter(|(_, finding, _)| finding.verdict.is_none());
    let leaders = own.filter_map(|(at, _, cause)| Some((at, *causes.get(cause)?))).collect();
    merge_into_leaders(found, &leaders);
}

/// Moves each finding that has a leader into the leader as a duplicate.
fn merge_into_leaders(found: &mut Vec<Finding>, leaders: &HashMap<usize, usize>) {
    if leaders.is_empty() {
        return;
    }
    let mut all: Vec<Option<Finding>> = std::mem::take(found).into_iter().map(Some).collect();
    for at in 0..all.len() {
        // A finding moves to the last leader in a chain of leaders.
        let mut to = leaders.get(&at).copied();
        while let Some(next) = to.and_then(|to| leaders.get(&to)).filter(|next| **next != at) {
            to = Some(*next);
        }
        let Some(to) = to.filter(|to| *to != at) else { continue };
        let Some(finding) = all.get_mut(at).and_then(Option::take) else { continue };
        match all.get_mut(to) {
            Some(Some(leader)) => leader.add_duplicate(finding),
            _ => all[at] = Some(finding),
        }
    }
    found.extend(all.into_iter().flatten());
}

/// Location, severity and message of a finding.
type DuplicateKey<'a> = (Option<&'a FindingLocation>, Severity, &'a str);

/// Returns the data that two duplicate findings share. Ignores a file name at the start of the
/// message.
fn duplicate_key(finding: &Finding) -> DuplicateKey<'_> {
    let file = finding.verdict.as_ref().and_then(|said| said.file.as_deref()).unwrap_or_default();
    let message = finding.message.strip_prefix(file).and_then(|rest| rest.strip_prefix(": "));
    (finding.at.as_ref(), finding.severity, message.unwrap_or(&finding.message))
}

/// Moves verdicts that follow from lost objects into the finding about the first of those
/// objects. These are the verdicts that disappear if the objects are in files of their own.
pub(super) fn merge_consequences(
    found: &mut Vec<Finding>,
    tree: &Tree,
    fixes: &[BundleFix],
    questions: &BundleChecks,
) {
    let Some(cause) = found.iter().position(|finding| *finding.rule == rules::LOST_OBJECT) else { return };
    let fixes: HashMap<&str, &BundleFix> = fixes.iter().map(|fix| (fix.file.as_str(), fix)).collect();
    let mended = |file: &TreeFile| {
        let mended = fixes.get(file.path.as_str()).and_then(|fix| fix.apply(file.content_or_empty()));
        mended.map_or_else(
            || file.clone(),
            |bytes| TreeFile { path: file.path.clone(), content: Ok(bytes.into()) },
        )
    };
    let further = tree.files_in("manifests").flat_map(manifests::further_documents_as_files);
    let files = tree.files.iter().map(mended).chain(further).collect();
    let tree = Tree::new(files, tree.folders.clone());
    // The fixed bundle has other locations, but the same messages.
    let verdicts = verdicts::collect_verdicts(&tree, questions);
    let left: HashSet<_> = verdicts
        .iter()
        .map(|(by, verdict)| (*by, verdict.validator, verdict.level, verdict.message.as_str()))
        .collect();
    let is_left = |finding: &Finding| {
        let is_said = |said: &OriginalVerdict| {
            left.contains(&(said.program, said.validator, said.level, finding.message.as_str()))
        };
        finding.verdict.as_deref().is_none_or(is_said)
    };
    let mut consequences = Vec::new();
    let mut kept = Vec::new();
    let mut cause_at = None;
    for (at, finding) in std::mem::take(found).into_iter().enumerate() {
        if at == cause {
            cause_at = Some(kept.len());
        }
        if is_left(&finding) { kept.push(finding) } else { consequences.push(finding) }
    }
    if let Some(cause) = cause_at.and_then(|at| kept.get_mut(at)) {
        cause.add_consequences(consequences);
    }
    *found = kept;
}

/// Moves verdicts that follow from an unreadable manifest into the verdict about the manifest. If
/// no selected program reports the manifest, the verdicts name it in their help.
pub(super) fn merge_unreadable(found: &mut Vec<Finding>, tree: &Tree) {
    for file in tree.files_in("manifests").filter(|file| !file.is_hidden()) {
        let Err(DocumentError::Unreadable(error)) = file.first_document() else {
            continue;
        };
        let names = |text: &str| memchr::memmem::find(file.content_or_empty(), text.as_bytes()).is_some();
        let is_csv = names(CSV_KIND);
        let follows = |finding: &Finding| match finding.cause.as_deref() {
            Some(Cause::NoCsv | Cause::MediaTypeWithoutCsv) => is_csv,
            Some(Cause::OwnedCrd { name, .. }) => !name.is_empty() && names(name),
            _ => false,
        };
        let is_of_file = |finding: &Finding| {
            let said = finding.verdict.as_deref().and_then(|said| said.file.as_deref());
            said == Some(file.path.as_str()) && finding.message.contains(UNREADABLE_MESSAGE)
        };
        let Some(cause) = found.iter().position(is_of_file) else {
            for finding in found.iter_mut().filter(|finding| follows(finding)) {
                finding.help = Some(format!("correct {}, which cannot be read: {error}", file.path));
            }
            continue;
        };
        let mut cause = found.remove(cause);
        if is_csv {
            cause.help = Some(UNREADABLE_CSV.to_owned());
        }
        let (same, rest): (Vec<_>, Vec<_>) = std::mem::take(found).into_iter().partition(is_of_file);
        for finding in same {
            cause.add_duplicate(finding);
        }
        let (consequences, rest) = rest.into_iter().partition(|finding| follows(finding));
        cause.add_consequences(consequences);
        found.push(cause);
        found.extend(rest);
    }
}

/// Names an unreadable ClusterServiceVersion in the help of verdicts that it is missing. Used if
/// findings are not merged.
pub(super) fn explain_missing_csv(found: &mut [Finding], tree: &Tree) {
    for file in tree.files_in("manifests").filter(|file| !file.is_hidden()) {
        let Err(DocumentError::Unreadable(error)) = file.first_document() else {
            continue;
        };
        if memchr::memmem::find(file.content_or_empty(), CSV_KIND.as_bytes()).is_none() {
            continue;
        }
        let is_missing = |finding: &&mut Finding| finding.cause.as_deref() == Some(&Cause::NoCsv);
        for finding in found.iter_mut().filter(is_missing) {
            finding.help = Some(format!("correct {}, which cannot be read: {error}", file.path));
        }
    }
}

/// Advice on a ClusterServiceVersion that cannot be read.
const UNREADABLE_CSV: &str =
    "this is the ClusterServiceVersion: correct the file; until then nothing that it says is checked";

/// Common part of all messages about an unreadable file.
const UNREADABLE_MESSAGE: &str = "cannot be read";

/// Merges findings about owned APIs without an example. All of them have the same location.
pub(super) fn merge_missing_examples(found: &mut Vec<Finding>) {
    let api = |finding: &Finding| match finding.cause.as_deref() {
        Some(Cause::NoExample(api)) => Some(api.clone()),
        _ => None,
    };
    let apis: Vec<String> = found.iter().filter_map(api).collect();
    if apis.len() < 2 {
        return;
    }
    let mut is_first = true;
    found.retain(|finding| api(finding).is_none() || std::mem::take(&mut is_first));
    if let Some(finding) = found.iter_mut().find(|finding| api(finding).is_some()) {
        finding.message = format!("{} owned APIs have no example: {}", apis.len(), format_list(apis));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundles::VerdictProgram;
    use olm_bundle::suites::{Level, Verdict};

    fn test_verdict(suite: Suite, message: &str, cause: Option<Cause>) -> Finding {
        let Verdict { validator, level, message, .. } = Verdict::error(suite.name(), message, None);
        let mut finding = Finding::new(verdicts::verdict_rule(VerdictProgram::Suite, validator), message);
        finding.cause = cause.map(Box::new);
        let (kind, field, value) = ("", String::new(), String::new());
        finding.verdict = Some(Box::new(OriginalVerdict {
            program: VerdictProgram::Suite,
            validator,
            level,
            kind,
            field,
            value,
            file: None,
        }));
        assert_eq!(level, Level::Error);
        finding
    }

    fn owned_crd_cause(name: &str) -> Cause {
        Cause::OwnedCrd { name: name.to_owned(), version: "v1".to_owned(), kind: "Kiln".to_owned() }
    }

    /// Returns the messages of findings, each with the rules that report it.
    fn messages_with_rules(found: &[Finding]) -> Vec<(&str, Vec<&str>)> {
        let rules = |finding: &Finding| finding.reporting_rules().iter().map(|rule| rule.id).collect();
        found.iter().map(|finding| (finding.message.as_str(), rules(finding))).collect()
    }

    #[test]
    fn missing_crd_is_listed_once_and_not_if_its_name_is_wrong() {
        let mut found = vec![
            test_verdict(Suite::Content, "a", Some(owned_crd_cause("kilns.clay"))),
            test_verdict(Suite::Content, "b", Some(owned_crd_cause("ovens.clay"))),
            test_verdict(Suite::Content, "c", Some(owned_crd_cause("kilns"))),
            test_verdict(Suite::Bundle, "d", Some(owned_crd_cause("kilns.clay"))),
            test_verdict(Suite::Bundle, "e", Some(owned_crd_cause("kilns"))),
            test_verdict(Suite::Csv, "f", Some(Cause::OwnedName("kilns".to_owned()))),
        ];
        merge_repeated(&mut found);
        let expected = [
            ("b", vec!["suite-content"]),
            ("d", vec!["suite-bundle", "suite-content"]),
            ("f", vec!["suite-csv", "suite-content", "suite-bundle"]),
        ];
        assert_eq!(messages_with_rules(&found), expected);
    }

    #[test]
    fn repeated_verdict_of_a_suite_is_one_finding() {
        let missing = |key: &str| Some(Cause::MissingAnnotation(key.to_owned()));
        let mut found = vec![
            test_verdict(Suite::Format, "second CSV", None),
            test_verdict(Suite::Format, "channels missing", missing("channels.v1")),
            test_verdict(Suite::Format, "package missing", missing("package.v1")),
            test_verdict(Suite::Format, "channels empty", missing("channels.v1")),
            test_verdict(Suite::Format, "second CSV", None),
            test_verdict(Suite::Csv, "second CSV", None),
        ];
        merge_repeated(&mut found);
        let expected = [
            ("second CSV", vec!["suite-format"]),
            ("channels missing", vec!["suite-format"]),
            ("package missing", vec!["suite-format"]),
            ("second CSV", vec!["suite-csv"]),
        ];
        assert_eq!(messages_with_rules(&found), expected);
    }

    #[test]
    fn apis_without_an_example_are_one_finding() {
        let missing = |api: &str| test_verdict(Suite::Csv, api, Some(Cause::NoExample(api.to_owned())));
        let mut found = vec![missing("x/v1 A"), test_verdict(Suite::Csv, "other", None), missing("x/v1 B")];
        merge_missing_examples(&mut found);
        let messages = |found: &[Finding]| -> Vec<String> {
            found.iter().map(|finding| finding.message.clone()).collect()
        };
        assert_eq!(messages(&found), ["2 owned APIs have no example: x/v1 A and x/v1 B", "other"]);
        let mut one = vec![missing("x/v1 A")];
        merge_missing_examples(&mut one);
        assert_eq!(messages(&one), ["x/v1 A"]);
    }
}
