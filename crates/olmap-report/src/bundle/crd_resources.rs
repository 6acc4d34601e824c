//! Check of existing resources against new CRDs, for people and programs.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use crate::{Ink, Style, escape, json as print};
use olm_bundle::crd::{CheckedCrd, ResourceCheck, ResourceMisfit};

/// Maximum number of misfits listed per CRD in text.
const MAX_LISTED: usize = 50;

/// Maximum number of kinds without a new CRD listed in text.
const MAX_KINDS: usize = 6;

/// Renders a check for people: for each CRD the values that do not fit, then what was not checked.
pub fn render_resource_check(check: &ResourceCheck, style: &Style) -> String {
    let mut out = String::new();
    for (name, crd) in &check.crds {
        let ink = if crd.refused == 0 { Ink::Good } else { Ink::Bold };
        out.push_str(&style.paint_wrapped(ink, &describe_crd(name, *crd), "", ""));
        let misfits = check.misfits.iter().filter(|misfit| misfit.resource.crd == *name);
        for misfit in misfits.clone().take(MAX_LISTED) {
            out.push_str(&style.paint_wrapped(Ink::Error, &describe_misfit(misfit), "  ", "    "));
        }
        if let Some(more) = misfits.count().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            let _ = writeln!(out, "  and {more} more values; -o json has all");
        }
    }
    if check.crds.values().any(|crd| !crd.has_installed_crd) {
        let note =
            "The files do not have the installed CRDs, so all served versions of the new CRDs were checked.";
        out.push_str(&style.paint_wrapped(Ink::Text, note, "", ""));
    }
    if check.crds.is_empty() && check.other_kinds.is_empty() {
        out.push_str("no resources\n");
    }
    if !check.other_kinds.is_empty() {
        let kinds = check.other_kinds.iter().take(MAX_KINDS).map(|((kind, _), count)| {
            let kind = if kind.is_empty() { "without a kind" } else { kind };
            format!("{count} {kind}")
        });
        let mut kinds = kinds.collect::<Vec<_>>().join(", ");
        if let Some(more) = check.other_kinds.len().checked_sub(MAX_KINDS).filter(|more| *more > 0) {
            let _ = write!(kinds, " and {more} more kinds");
        }
        let text = format!("not checked, because no new CRD has the kind: {kinds}");
        out.push_str(&style.paint_wrapped(Ink::Text, &escape::escape_line(&text), "", ""));
    }
    out
}

fn describe_crd(name: &str, crd: CheckedCrd) -> String {
    let CheckedCrd { checked, refused, only_warns, .. } = crd;
    let resources = if checked == 1 { "resource" } else { "resources" };
    match (refused, only_warns) {
        (0, _) => format!("{name}: {checked} {resources}, all fit"),
        (_, true) => format!(
            "{name}: {refused} of {checked} {resources} do not fit; OLM Classic only warns, because a webhook converts them"
        ),
        (_, false) => {
            format!("{name}: {refused} of {checked} {resources} do not fit; OLM Classic refuses the upgrade")
        }
    }
}

fn describe_misfit(misfit: &ResourceMisfit) -> String {
    let ResourceMisfit { resource, versions, field, message, was_refused } = misfit;
    let place = resource.location.as_ref();
    let place = place.map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column)).unwrap_or_default();
    let name = match resource.namespace.as_str() {
        "" => resource.name.clone(),
        namespace => format!("{namespace}/{}", resource.name),
    };
    let old = if *was_refused == Some(true) { " (the installed CRD refuses it too)" } else { "" };
    let field = if field.is_empty() { "the resource" } else { field };
    let text = format!("{place}{name}, {}: {field} {message}{old}", versions.join(", "));
    escape::escape_line(&text).into_owned()
}

/// Renders a check for programs (`docs/cli.md`).
pub fn render_resource_check_json(check: &ResourceCheck) -> String {
    let crds = check.crds.iter().map(|(name, crd)| {
        json!({
            "name": name,
            "checked": crd.checked,
            "refused": crd.refused,
            "onlyWarns": crd.only_warns,
            "installed": crd.has_installed_crd,
        })
    });
    let kinds = check
        .other_kinds
        .iter()
        .map(|((kind, group), count)| json!({"kind": kind, "group": group, "count": count}));
    print::to_pretty_json(&json!({
        "ok": !check.is_refused(),
        "crds": crds.collect::<Vec<_>>(),
        "refused": check.misfits.iter().map(misfit_json).collect::<Vec<_>>(),
        "notChecked": kinds.collect::<Vec<_>>(),
    }))
}

fn misfit_json(misfit: &ResourceMisfit) -> Json {
    let ResourceMisfit { resource, versions, field, message, was_refused } = misfit;
    let mut row = Map::new();
    let mut insert = |key: &str, value: Json| row.insert(key.to_owned(), value);
    insert("crd", json!(resource.crd));
    if !resource.namespace.is_empty() {
        insert("namespace", json!(resource.namespace));
    }
    insert("name", json!(resource.name));
    insert("versions", json!(versions));
    insert("field", json!(field));
    insert("message", json!(message));
    if let Some(was_refused) = was_refused {
        insert("wasRefused", json!(was_refused));
    }
    if let Some(at) = &resource.location {
        insert("at", json!(at));
    }
    Json::Object(row)
}
