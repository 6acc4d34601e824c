//! Permissions that the old CSV did not grant.

use std::borrow::Cow;

use super::contents::StepBundle;
use crate::field_access::{items_at, text_at, texts_at};
use olm_catalog::Node;

/// Lists of permissions in a CSV.
const LISTS: [(&str, &str); 2] = [
    ("clusterPermissions", "spec.install.spec.clusterPermissions"),
    ("permissions", "spec.install.spec.permissions"),
];

/// Rule of a role, with empty lists for missing fields.
struct Rule<'n> {
    verbs: Vec<Cow<'n, str>>,
    groups: Vec<Cow<'n, str>>,
    resources: Vec<Cow<'n, str>>,
    names: Vec<Cow<'n, str>>,
    urls: Vec<Cow<'n, str>>,
}

/// Returns the fields in which the new CSV grants more than the old one, each with an example.
///
/// OLM v1 installs for all namespaces, so both lists apply to the whole cluster.
pub(super) fn added_permissions(old: &StepBundle, new: &StepBundle) -> Vec<(&'static str, String)> {
    let had: Vec<Rule<'_>> = LISTS.iter().flat_map(|(list, _)| permission_rules(old, list)).collect();
    let first =
        |list| permission_rules(new, list).iter().find_map(|rule| first_missing_permission(rule, &had));
    LISTS.iter().filter_map(|(list, field)| Some((*field, first(list)?))).collect()
}

fn permission_rules<'b>(bundle: &'b StepBundle, list: &str) -> Vec<Rule<'b>> {
    let permissions = bundle.csv_list(&["spec", "install", "spec", list]).iter();
    permissions.flat_map(|permission| items_at(permission, &["rules"])).map(parse_rule).collect()
}

fn parse_rule<'n>(node: &'n Node<'static>) -> Rule<'n> {
    let list = |key: &'static str| texts_at(node, &[key]).collect();
    Rule {
        verbs: list("verbs"),
        groups: list("apiGroups"),
        resources: list("resources"),
        names: list("resourceNames"),
        urls: list("nonResourceURLs"),
    }
}

fn list_matches(list: &[Cow<'_, str>], wanted: &str) -> bool {
    list.iter().any(|one| one == "*" || one == wanted)
}

/// Returns true if a list of resources contains one. `*/exec` matches this subresource of every
/// resource.
fn has_resource(list: &[Cow<'_, str>], wanted: &str) -> bool {
    let below = wanted.split_once('/').map(|(_, below)| format!("*/{below}"));
    list_matches(list, wanted) || below.is_some_and(|below| list.iter().any(|one| *one == below))
}

/// Returns true if a list of URLs contains one. `/metrics*` matches every URL with that prefix.
fn has_url(list: &[Cow<'_, str>], wanted: &str) -> bool {
    let begins = |one: &Cow<'_, str>| one.strip_suffix('*').is_some_and(|start| wanted.starts_with(start));
    list.iter().any(|one| one == wanted || begins(one))
}

/// Returns a permission of a rule that no old rule grants.
fn first_missing_permission(rule: &Rule<'_>, had: &[Rule<'_>]) -> Option<String> {
    for verb in &rule.verbs {
        for url in &rule.urls {
            if !had.iter().any(|old| list_matches(&old.verbs, verb) && has_url(&old.urls, url)) {
                return Some(format!("{verb} {url}"));
            }
        }
        for group in &rule.groups {
            for resource in &rule.resources {
                let gives = |old: &Rule<'_>, name: Option<&Cow<'_, str>>| {
                    let is_named = name.is_some_and(|name| old.names.contains(name));
                    list_matches(&old.verbs, verb)
                        && list_matches(&old.groups, group)
                        && has_resource(&old.resources, resource)
                        && (old.names.is_empty() || is_named)
                };
                let is_given = match rule.names.as_slice() {
                    [] => had.iter().any(|old| gives(old, None)),
                    names => names.iter().all(|name| had.iter().any(|old| gives(old, Some(name)))),
                };
                if !is_given {
                    let group = if group.is_empty() { String::new() } else { format!(" of {group}") };
                    return Some(format!("{verb} {resource}{group}"));
                }
            }
        }
    }
    None
}

/// Returns the service account of a deployment in a CSV.
pub(super) fn service_account(deployment: &Node<'_>) -> String {
    let of = |key| text_at(deployment, &["spec", "template", "spec", key]).into_owned();
    [of("serviceAccountName"), of("serviceAccount")]
        .into_iter()
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| "default".to_owned())
}
