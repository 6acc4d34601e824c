//! Suite `format`: opm's checks of `metadata/`, with the CEL expressions of `olm.constraint`.
//!
//! Source: operator-registry, `pkg/lib/bundle/validate.go`, `ValidateBundleFormat`.

#[cfg(feature = "cel")]
use cel::{
    Program,
    common::ast::{Expr, IdedExpr, LiteralValue, operators},
};

use super::{Cause, Verdict};
use crate::{
    document::{self, DocumentCache},
    field_access::{node_at, text_at},
    manifests::{Tree, TreeFile},
    registry::{BundleLocation, CSV_KIND, PREFIX},
    typed::{DecoderKind, field_text, find_member},
};
use olm_catalog::{Node, Span, Value};
use olm_version::blang;

/// Name of this suite.
pub(super) const NAME: &str = "format";

/// Required annotations; the default channel is optional.
const REQUIRED: [&str; 5] = ["mediatype.v1", "manifests.v1", "metadata.v1", "package.v1", "channels.v1"];
const DEFAULT_CHANNEL: &str = "channel.default.v1";

pub(super) fn check_format<'t>(tree: &'t Tree, readings: &DocumentCache<'t>) -> Vec<Verdict> {
    let mut out = Vec::new();
    for folder in ["manifests", "metadata"] {
        if !tree.has_folder(folder) {
            out.push(new_verdict(format!("the folder {folder} is missing"), None));
        }
    }
    if !out.is_empty() {
        return out;
    }
    let mut holder = None;
    for file in tree.files_in("metadata") {
        if let Some(found) = parse_annotations(file) {
            holder = Some((file, found));
            break;
        }
    }
    match &holder {
        Some((file, found)) => check_annotations(tree, readings, file, found, &mut out),
        None => out.push(new_verdict("no file in metadata/ holds annotations".to_owned(), None)),
    }
    let annotated = holder.map(|(file, _)| file.path.as_str());
    for file in tree.files_in("metadata").filter(|file| annotated != Some(file.path.as_str())) {
        if check_dependencies(file, &mut out) {
            break;
        }
    }
    out
}

fn new_verdict(message: String, place: Option<BundleLocation>) -> Verdict {
    Verdict::error(NAME, message, place)
}

fn file_location(file: &TreeFile) -> BundleLocation {
    BundleLocation { file: file.path.clone(), span: Span::default() }
}

/// Returns the annotations of a file: a map of strings. Numbers and booleans are strings in YAML, but not in
/// JSON.
fn parse_annotations(file: &TreeFile) -> Option<Vec<(String, String)>> {
    let read = document::parse_first(file.content_or_empty()).ok()?;
    let reading = if file.content_or_empty().trim_ascii_start().starts_with(b"{") {
        DecoderKind::Json
    } else {
        DecoderKind::Yaml
    };
    let map = node_at(&read.node, &["annotations"])?;
    let Value::Map(members) = &map.value else { return None };
    members
        .iter()
        .map(|member| {
            let text =
                if member.value.is_null() { Some("".into()) } else { field_text(&member.value, reading) };
            Some((member.key.clone().into_owned(), text?.into_owned()))
        })
        .collect()
}

fn check_annotations<'t>(
    tree: &'t Tree,
    readings: &DocumentCache<'t>,
    file: &TreeFile,
    found: &[(String, String)],
    out: &mut Vec<Verdict>,
) {
    let value = |key: &str| {
        let key = format!("{PREFIX}{key}");
        found.iter().rfind(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    };
    // opm also reports the empty value of a missing annotation.
    let about = |key: &str, message: String| {
        let verdict = new_verdict(message, Some(file_location(file)));
        if value(key).is_some() {
            verdict
        } else {
            verdict.with_cause(Cause::MissingAnnotation(key.to_owned()))
        }
    };
    for key in REQUIRED.into_iter().filter(|key| value(key).is_none()) {
        out.push(about(key, format!("the annotation {PREFIX}{key} is missing")));
    }
    let expected = detect_media_type(tree, "manifests", readings);
    let given = value("mediatype.v1").unwrap_or_default();
    if given != expected {
        let message = format!("the annotation {PREFIX}mediatype.v1 must be `{expected}`, not `{given}`");
        let verdict = about("mediatype.v1", message);
        let has_no_csv = expected != CSV_MEDIA_TYPE && given == CSV_MEDIA_TYPE;
        out.push(if has_no_csv { verdict.with_cause(Cause::MediaTypeWithoutCsv) } else { verdict });
    }
    let is_empty = |key: &str| value(key).is_none_or(str::is_empty);
    if is_empty("channels.v1") {
        out.push(about("channels.v1", format!("the annotation {PREFIX}channels.v1 is empty")));
    }
    if value(DEFAULT_CHANNEL).is_some() && is_empty(DEFAULT_CHANNEL) {
        out.push(new_verdict(
            format!("the annotation {PREFIX}{DEFAULT_CHANNEL} is empty"),
            Some(file_location(file)),
        ));
    }
}

/// Media type of manifests with a CSV.
const CSV_MEDIA_TYPE: &str = "registry+v1";

/// Returns the media type of the manifests in a folder: `registry+v1` with a CSV, `helm` with a chart.
pub(crate) fn detect_media_type<'t>(
    tree: &'t Tree,
    folder: &'t str,
    readings: &DocumentCache<'t>,
) -> &'static str {
    let has_csv = tree.files_in(folder).any(|file| {
        readings.first(file).is_ok_and(|read| read.node.get("kind").and_then(Node::as_str) == Some(CSV_KIND))
    });
    let has_chart = tree.files_in(folder).any(|file| file.file_name() == "Chart.yaml");
    match (has_csv, has_chart) {
        (true, _) => CSV_MEDIA_TYPE,
        (false, true) => "helm",
        (false, false) => "plain",
    }
}

/// Checks the dependencies of a file; returns true if it has any.
fn check_dependencies(file: &TreeFile, out: &mut Vec<Verdict>) -> bool {
    let Ok(read) = document::parse_first(file.content_or_empty()) else { return false };
    let Some(Value::List(list)) = node_at(&read.node, &["dependencies"]).map(|list| &list.value) else {
        return false;
    };
    for dependency in list {
        let place = Some(BundleLocation {
            file: file.path.clone(),
            span: Span::new(
                dependency.span.start as usize + read.start,
                dependency.span.end as usize + read.start,
            ),
        });
        for message in dependency_faults(dependency) {
            out.push(new_verdict(message, place.clone()));
        }
    }
    !list.is_empty()
}

/// Returns the errors of a dependency.
fn dependency_faults(dependency: &Node) -> Vec<String> {
    let kind = text_at(dependency, &["type"]);
    let unreadable = || vec![format!("a dependency of the type `{kind}` cannot be read")];
    // Null counts as an empty map.
    let is_map = |value: &&Node| matches!(value.value, Value::Map(_) | Value::Null);
    let Some(value) = find_member(dependency, "value").filter(is_map) else { return unreadable() };
    let is_text = |key: &str| {
        node_at(value, &[key]).is_none_or(|value| matches!(value.value, Value::String(_) | Value::Null))
    };
    let missing = |keys: &[(&str, &str)]| -> Vec<String> {
        let empty = keys.iter().filter(|(key, _)| text_at(value, &[key]).is_empty());
        empty.map(|(_, name)| format!("{kind}: {name} is missing")).collect()
    };
    match kind.as_ref() {
        "olm.gvk" if ["group", "version", "kind"].into_iter().all(is_text) => {
            missing(&[("group", "the group"), ("version", "the version"), ("kind", "the kind")])
        }
        "olm.package" if ["packageName", "version"].into_iter().all(is_text) => {
            let mut faults = missing(&[("packageName", "packageName"), ("version", "the version range")]);
            let range = text_at(value, &["version"]);
            if !range.is_empty()
                && let Err(error) = blang::Range::parse(&range)
            {
                faults.push(format!("olm.package: the version range `{range}`: {error}"));
            }
            faults
        }
        "olm.label" if is_text("label") => missing(&[("label", "the label")]),
        "olm.constraint" => find_constraint_fault(value).into_iter().collect(),
        _ => unreadable(),
    }
}

/// Maximum length of a rule in bytes. The CEL parser recurses on chains of `.a` or `+1`: 62 kB of them overflow
/// the stack. Real rules are much shorter.
const MAX_RULE: usize = 4 << 10;

/// Returns the error of a constraint.
fn find_constraint_fault(constraint: &Node) -> Option<String> {
    let Some(cel) = node_at(constraint, &["cel"]).filter(|cel| matches!(cel.value, Value::Map(_))) else {
        return Some("olm.constraint: the field cel is missing".to_owned());
    };
    let rule = text_at(cel, &["rule"]);
    if rule.is_empty() {
        return Some("olm.constraint: the CEL rule is missing".to_owned());
    }
    if rule.len() > MAX_RULE {
        return Some("olm.constraint: the CEL rule is too long".to_owned());
    }
    find_rule_fault(&rule)
}

/// Returns the error of every rule, because a build without the feature `cel` cannot read any.
#[cfg(not(feature = "cel"))]
fn find_rule_fault(_rule: &str) -> Option<String> {
    Some(
        "olm.constraint: the CEL rule was not checked, because this build does not read CEL (feature `cel`)"
            .to_owned(),
    )
}

/// Returns the error of a rule.
#[cfg(feature = "cel")]
fn find_rule_fault(rule: &str) -> Option<String> {
    match Program::compile(rule) {
        Err(error) => Some(format!("olm.constraint: the CEL rule cannot be read: {error}")),
        Ok(program) if gives_boolean(program.expression(), &[]) => None,
        Ok(_) => Some("olm.constraint: the CEL rule must give true or false".to_owned()),
    }
}

/// Returns true if the result of an expression is certainly a boolean; `booleans` are the boolean variables.
#[cfg(feature = "cel")]
fn gives_boolean(expression: &IdedExpr, booleans: &[&str]) -> bool {
    match &expression.expr {
        Expr::Literal(literal) => matches!(literal, LiteralValue::Boolean(_)),
        Expr::Ident(name) => booleans.contains(&name.as_str()),
        // `has(a.b)`.
        Expr::Select(select) => select.test,
        Expr::Call(call) => match call.func_name.as_str() {
            operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::EQUALS
            | operators::NOT_EQUALS
            | operators::GREATER
            | operators::GREATER_EQUALS
            | operators::LESS
            | operators::LESS_EQUALS
            | operators::IN
            | operators::NOT_STRICTLY_FALSE
            | "startsWith"
            | "endsWith"
            | "contains"
            | "matches"
            | "bool" => true,
            operators::CONDITIONAL => {
                call.args.len() == 3 && call.args.iter().skip(1).all(|arm| gives_boolean(arm, booleans))
            }
            _ => false,
        },
        // `exists` and similar macros: the accumulator is initialized with a boolean.
        Expr::Comprehension(gathered) => {
            let mut known = booleans.to_vec();
            if gives_boolean(&gathered.accu_init, booleans) {
                known.push(&gathered.accu_var);
            }
            gives_boolean(&gathered.result, &known)
        }
        _ => false,
    }
}
