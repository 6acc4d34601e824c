//! Rules about input that could not be read. The loader reports a problem, and a rule turns it
//! into a finding.

use std::collections::{BTreeMap, HashMap};

use super::{
    finding::{Finding, FindingLocation},
    findings::Findings,
    format::format_with_kind,
    rule::{Check, Rule, Severity},
    rules,
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, MetaErrorKind, Node, ReadErrorKind,
    file::FileId,
    package::Package,
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
};

/// Adds a finding for each problem outside of packages.
pub(super) fn report_outside_packages(catalog: &Catalog, found: &mut Findings) {
    found.extend(problem_findings(catalog, catalog.problems()));
    count_unlisted(catalog, catalog.problems(), found);
}

/// Adds a finding for each problem of a package, with the name of the unreadable channel or bundle.
pub(super) fn report_package_problems(catalog: &Catalog, package: &Package, found: &mut Findings) {
    if package.problems.is_empty() {
        return;
    }
    count_unlisted(catalog, &package.problems, found);
    if catalog.template().is_some() {
        // A template is a single document, so its problems cannot be attributed to a channel or bundle.
        return found.extend(problem_findings(catalog, &package.problems));
    }
    let channels: HashMap<DocId, &ChannelName> =
        package.channels.iter().map(|channel| (channel.doc, &channel.name.value)).collect();
    let bundles: HashMap<DocId, &BundleName> =
        package.bundles.iter().map(|bundle| (bundle.doc, &bundle.name.value)).collect();
    found.extend(problem_findings(catalog, &package.problems).map(|mut finding| {
        let Some(FindingLocation::Document(doc, _)) = &finding.at else { return finding };
        // A finding about the whole file is not about the document at its location.
        if *finding.rule == rules::DUPLICATE_KEY && !finding.names.is_empty() {
            return finding;
        }
        if let Some(name) = channels.get(doc) {
            finding.message = format!("{}: {}", format_with_kind("channel", name), finding.message);
            finding.channel = Some((*name).clone());
        } else if let Some(name) = bundles.get(doc) {
            finding.message = format!("{}: {}", format_with_kind("bundle", name), finding.message);
            finding.bundle = Some((*name).clone());
        }
        finding
    }));
}

fn problem_findings(catalog: &Catalog, problems: &Problems) -> impl Iterator<Item = Finding> {
    let told = problems.complete_problems().iter().filter(|problem| !is_harmless_duplicate(&problem.kind));
    let told = told.filter_map(|problem| Some(problem_finding(catalog, problem, rule_for(&problem.kind)?)));
    told.chain(harmless_duplicates(problems))
}

/// Returns true for a key that is repeated with the same value.
fn is_harmless_duplicate(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::DuplicateKey { is_same: true, .. })
}

/// Reports keys that are repeated with the same value: one note per file.
fn harmless_duplicates(problems: &Problems) -> Vec<Finding> {
    let mut by_file: BTreeMap<FileId, (Finding, &str, usize)> = BTreeMap::new();
    for problem in problems.complete_problems() {
        let (ProblemKind::DuplicateKey { key, first, is_same: true }, ProblemLocation::Document(doc, span)) =
            (&problem.kind, &problem.at)
        else {
            continue;
        };
        let (_, _, count) = by_file.entry(doc.file).or_insert_with(|| {
            let message = format!("key `{key}` is repeated with the same value");
            let finding = Finding::new(&rules::DUPLICATE_KEY, message).at_span(*doc, *span);
            (finding.with_related("first here", *doc, *first).with_help("remove one of the two"), key, 0)
        });
        *count += 1;
    }
    for rest in problems.further_problems().iter().filter(|rest| is_harmless_duplicate(&rest.example_kind)) {
        for (doc, _) in rest.locations() {
            if let Some((.., count)) = by_file.get_mut(&doc.file) {
                *count += 1;
            }
        }
    }
    let notes = by_file.into_values().map(|(mut finding, key, count)| {
        finding.severity = Severity::Note;
        if count > 1 {
            finding.message = format!("{count} keys of this file are repeated with the same value");
            finding = finding.with_names([key]);
        }
        finding
    });
    notes.collect()
}

/// Counts the problems that the loader did not keep.
fn count_unlisted(catalog: &Catalog, problems: &Problems, found: &mut Findings) {
    for rest in problems.further_problems().iter().filter(|rest| !is_harmless_duplicate(&rest.example_kind)) {
        let Some(rule) = rule_for(&rest.example_kind) else { continue };
        for (doc, span) in rest.locations() {
            let text = catalog.document_text(doc).and_then(|text| text.get(span.range()));
            found.push_unlisted(rule, doc, span, text.unwrap_or_default());
        }
    }
}

/// Returns the rule that reports a kind of problem.
pub(super) fn rule_for(kind: &ProblemKind) -> Option<&'static Rule> {
    rules::ALL.iter().copied().find(|rule| matches!(rule.check, Check::Problem(is_mine) if is_mine(kind)))
}

fn problem_finding(catalog: &Catalog, problem: &Problem, rule: &'static Rule) -> Finding {
    let mut finding = Finding::new(rule, problem.kind.to_string());
    match &problem.at {
        ProblemLocation::File(path) => finding.at = Some(FindingLocation::File(path.clone())),
        ProblemLocation::Document(doc, span) => {
            finding = finding.at_span(*doc, *span);
            if let ProblemKind::DuplicateKey { first, .. } = problem.kind {
                finding = finding.with_related("first here; this value is ignored", *doc, first);
            }
            if let ProblemKind::Template { lists, .. } = &problem.kind {
                for (words, span) in lists {
                    finding = finding.with_related(words.clone(), *doc, *span);
                }
            }
        }
    }
    finding.help = advice_for(catalog, problem);
    finding.details.extend(problem_detail(&problem.kind));
    finding
}

/// Returns the name, kind or reason that separates problems with the same text.
fn problem_detail(kind: &ProblemKind) -> Option<String> {
    match kind {
        ProblemKind::WrongType { field, .. }
        | ProblemKind::Missing { field }
        | ProblemKind::BadEncoding { field, .. } => Some(field.clone()),
        ProblemKind::DuplicateKey { key, .. } | ProblemKind::UnknownKey { key, .. } => Some(key.clone()),
        ProblemKind::EmptyPackage { schema } => Some(schema.clone()),
        ProblemKind::Syntax(error) => Some(format!("{:?}", error.kind)),
        ProblemKind::Meta(error) => Some(format!("{:?}", error.kind)),
        ProblemKind::BadLink(what) | ProblemKind::Special(what) => Some((*what).to_owned()),
        ProblemKind::Unreadable(reason)
        | ProblemKind::BadIgnore(reason)
        | ProblemKind::RejectedBundle(reason)
        | ProblemKind::BadTemplate(reason) => Some(reason.clone()),
        _ => None,
    }
}

fn advice_for(catalog: &Catalog, problem: &Problem) -> Option<String> {
    match &problem.kind {
        ProblemKind::Syntax(error) => error.hint().map(str::to_owned),
        ProblemKind::Meta(error) if error.kind == MetaErrorKind::MissingSchema => {
            guess_schema(catalog, problem.doc()?)
                .map(|schema| format!("if it is an {schema}, add `schema: {schema}`"))
        }
        ProblemKind::Meta(error) => error.hint().map(str::to_owned),
        ProblemKind::UnknownKey { meant, .. } => Some(format!("did you mean `{meant}`?")),
        ProblemKind::Template { help, .. } => Some((*help).to_owned()),
        ProblemKind::Missing { field } => Some(format!("add {}", field.rsplit('.').next().unwrap_or(field))),
        _ => None,
    }
}

/// Guesses the schema of an object from its keys.
fn guess_schema(catalog: &Catalog, doc: DocId) -> Option<&'static str> {
    let tree = catalog.parse_document(doc)?.ok()?;
    let has = |key: &str| tree.get(key).is_some();
    let first = tree.get("entries").and_then(|entries| entries.items().first());
    let entry_has = |key: &str| first.and_then(|entry: &Node| entry.get(key)).is_some();
    if has("defaultChannel") {
        Some("olm.package")
    } else if entry_has("reference") {
        Some("olm.deprecations")
    } else if has("entries") && has("name") {
        Some("olm.channel")
    } else if has("image") || has("relatedImages") || has("properties") {
        Some("olm.bundle")
    } else {
        None
    }
}

/// Returns the kind of a syntax error; `None` for other problems.
fn syntax_error(kind: &ProblemKind) -> Option<&ReadErrorKind> {
    match kind {
        ProblemKind::Syntax(error) => Some(&error.kind),
        _ => None,
    }
}

/// Returns the kind of a `Meta` error; `None` for other problems.
fn meta_error(kind: &ProblemKind) -> Option<&MetaErrorKind> {
    match kind {
        ProblemKind::Meta(error) => Some(&error.kind),
        _ => None,
    }
}

pub(super) fn unreadable_file(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Unreadable(_))
}

pub(super) fn bad_link(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::BadLink(_))
}

pub(super) fn special_file(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Special(_))
}

pub(super) fn link_out_of_catalog(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::OutOfCatalog)
}

pub(super) fn bad_linked_file(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Unquoted { .. })
}

pub(super) fn lfs_pointer(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::LfsPointer)
}

pub(super) fn left_over_folder(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::LeftOverFolder)
}

pub(super) fn template_error(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Template { .. })
}

pub(super) fn bad_template(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::BadTemplate(_))
}

pub(super) fn left_over_save(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::LeftOver)
}

pub(super) fn rejected_bundle(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::RejectedBundle(_))
}

pub(super) fn bad_indexignore(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::BadIgnore(_))
}

pub(super) fn not_utf8(kind: &ProblemKind) -> bool {
    matches!(syntax_error(kind), Some(ReadErrorKind::InvalidUtf8 | ReadErrorKind::Utf16(_)))
}

pub(super) fn lost_documents(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::LostDocuments)
}

pub(super) fn control_character(kind: &ProblemKind) -> bool {
    matches!(syntax_error(kind), Some(ReadErrorKind::ControlCharacter(_)))
}

pub(super) fn yaml_syntax(kind: &ProblemKind) -> bool {
    matches!(
        syntax_error(kind),
        Some(
            ReadErrorKind::Yaml { .. }
                | ReadErrorKind::Separator
                | ReadErrorKind::UnknownAnchor(_)
                | ReadErrorKind::RecursiveAnchor(_)
                | ReadErrorKind::BadMerge
        )
    )
}

pub(super) fn json_syntax(kind: &ProblemKind) -> bool {
    matches!(syntax_error(kind), Some(ReadErrorKind::Json(_)))
}

pub(super) fn too_complex(kind: &ProblemKind) -> bool {
    matches!(syntax_error(kind), Some(ReadErrorKind::TooDeep | ReadErrorKind::ExcessiveAliasing))
}

pub(super) fn bad_key(kind: &ProblemKind) -> bool {
    matches!(syntax_error(kind), Some(ReadErrorKind::BadKey | ReadErrorKind::CollectionKey))
}

pub(super) fn bad_scalar(kind: &ProblemKind) -> bool {
    matches!(
        syntax_error(kind),
        Some(ReadErrorKind::NotFinite(_) | ReadErrorKind::BadBase64 | ReadErrorKind::TagMismatch { .. })
    )
}

pub(super) fn not_an_object(kind: &ProblemKind) -> bool {
    matches!(meta_error(kind), Some(MetaErrorKind::NotAMap))
}

pub(super) fn empty_document(kind: &ProblemKind) -> bool {
    matches!(meta_error(kind), Some(MetaErrorKind::Empty))
}

pub(super) fn missing_schema(kind: &ProblemKind) -> bool {
    matches!(meta_error(kind), Some(MetaErrorKind::MissingSchema))
}

pub(super) fn ambiguous_key(kind: &ProblemKind) -> bool {
    matches!(meta_error(kind), Some(MetaErrorKind::SameKey { .. }))
}

pub(super) fn wrong_type(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::WrongType { .. })
        || matches!(meta_error(kind), Some(MetaErrorKind::NotAString { .. }))
}

pub(super) fn missing_value(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Missing { .. })
}

pub(super) fn bad_encoding(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::BadEncoding { .. })
}

pub(super) fn duplicate_key(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::DuplicateKey { .. })
}

pub(super) fn empty_package(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::EmptyPackage { .. })
}

/// Matches unknown keys that resemble a known key. Other unknown keys may be custom extensions.
pub(super) fn misspelled_key(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::UnknownKey { .. })
}
