//! Permissions of each service account in plain words, dangerous ones first.

mod grant;
mod risk;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

pub use risk::{Danger, Risk};

use super::{
    OutlineLocation, Row,
    apis::{join_words, shorten_word},
    contents::{OutlineInput, Piece},
};
use crate::field_access;
use grant::{Grant, group_name};

/// Permission lists of a CSV, and their scopes.
const LISTS: [(&str, &str); 2] =
    [("clusterPermissions", "cluster-wide"), ("permissions", "in its target namespaces")];

/// A group, a resource and the names to which it is limited.
type ResourceKey<'m> = (Cow<'m, str>, Cow<'m, str>, Vec<Cow<'m, str>>);

/// A service account in one scope.
struct Account<'m> {
    name: String,
    scope: &'static str,
    is_namespaced: bool,
    grants: Vec<(Grant<'m>, Option<OutlineLocation>)>,
    /// Index of the grant of each resource, because rules are merged.
    known: HashMap<ResourceKey<'m>, usize>,
    /// URLs of the API server, with verbs.
    urls: Vec<(String, String, Option<OutlineLocation>)>,
}

pub(super) fn permission_rows(bundle: &OutlineInput) -> Vec<Row> {
    let owned = owned_groups(bundle);
    let is_lifted = supports_all(bundle);
    let mut accounts: Vec<Account> = Vec::new();
    let mut found: HashMap<(String, bool), usize> = HashMap::new();
    for (list, scope) in LISTS {
        let is_namespaced = list == "permissions";
        for permission in bundle.csv_items(&["spec", "install", "spec", list]) {
            let name = permission.child_text(&["serviceAccountName"]);
            let name = if name.is_empty() { "default".to_owned() } else { shorten_word(&name).to_owned() };
            let at = *found.entry((name.clone(), is_namespaced)).or_insert_with(|| {
                accounts.push(Account::new(name, scope, is_namespaced));
                accounts.len() - 1
            });
            let Some(account) = accounts.get_mut(at) else { continue };
            permission.child_items(&["rules"]).for_each(|rule| account.add_rule(rule));
        }
    }
    let mut blocks: Vec<Vec<Row>> = accounts
        .into_iter()
        .map(|account| account.into_rows(|group| owned.contains(group), is_lifted))
        .collect();
    // The first row is the heading.
    blocks.sort_by_key(|rows| rows.get(1).map_or((2, None), sort_key));
    blocks.into_iter().flatten().collect()
}

impl<'m> Account<'m> {
    fn new(name: String, scope: &'static str, is_namespaced: bool) -> Self {
        let (grants, known, urls) = (Vec::new(), HashMap::new(), Vec::new());
        Self { name, scope, is_namespaced, grants, known, urls }
    }

    /// Adds a grant for each resource. Adds one for the whole rule if groups times resources is much more than
    /// the length of the rule.
    fn add_rule(&mut self, rule: Piece<'m, '_>) {
        let whole = Grant {
            groups: rule.child_texts(&["apiGroups"]),
            resources: rule.child_texts(&["resources"]),
            verbs: rule.child_texts(&["verbs"]),
            names: rule.child_texts(&["resourceNames"]),
            is_namespaced: self.is_namespaced,
        };
        for url in rule.child_texts(&["nonResourceURLs"]) {
            self.urls.push((shorten_word(&url).to_owned(), join_words(&whole.verbs, " "), rule.location()));
        }
        if is_large_product(&whole) {
            self.grants.push((whole, rule.location()));
            return;
        }
        for group in &whole.groups {
            for resource in &whole.resources {
                let key = (group.clone(), resource.clone(), whole.names.clone());
                let at = *self.known.entry(key).or_insert(self.grants.len());
                if let Some((grant, _)) = self.grants.get_mut(at) {
                    grant.verbs.extend(whole.verbs.iter().cloned());
                    continue;
                }
                let (groups, resources) = (vec![group.clone()], vec![resource.clone()]);
                self.grants.push((Grant { groups, resources, ..whole.clone() }, rule.location()));
            }
        }
    }

    /// Returns its heading and its permissions, dangerous ones first.
    fn into_rows(self, owned: impl Fn(&str) -> bool, is_lifted: bool) -> Vec<Row> {
        let (name, scope) = (self.name, self.scope);
        let prefix = format!("{name} {scope}");
        let mut rows: Vec<(String, Row)> = Vec::new();
        for (mut grant, spot) in self.grants {
            grant.sort_verbs();
            let dangers = grant.find_dangers(&owned, is_lifted);
            let groups: Vec<&str> = grant.groups.iter().map(|group| group_name(group)).collect();
            let groups = join_words(&groups, ", ");
            let label = format!("{} ({groups})", join_words(&grant.resources, ", "));
            let names = join_words(&grant.names, ", ");
            let only = if names.is_empty() { String::new() } else { format!(" only {names}") };
            let note = grant.describe_dangers(&dangers);
            let row = Row::new(
                format!("{prefix}: {label}{only}"),
                label,
                format!("{}{only}", join_words(&grant.verbs, " ")),
            );
            let row = Row { dangers, ..row.with_note(note).with_level(1).with_location(spot) };
            rows.push((groups, row));
        }
        rows.sort_by_cached_key(|(group, row)| (sort_key(row), group.clone()));
        let dangers = rows.iter().filter(|(_, row)| !row.dangers.is_empty()).count();
        let note = if self.is_namespaced && is_lifted { "in all namespaces under AllNamespaces" } else { "" };
        let value = match dangers {
            0 => scope.to_owned(),
            n => format!("{scope}, {n} dangerous"),
        };
        let head = Row::new(prefix.clone(), format!("service account {name}"), value).with_note(note);
        let urls = self.urls.into_iter().map(|(url, verbs, spot)| {
            let label = format!("URL {url}");
            Row::new(format!("{prefix}: {label}"), label, verbs).with_level(1).with_location(spot)
        });
        let urls: Vec<Row> = urls.collect();
        std::iter::once(head).chain(rows.into_iter().map(|(_, row)| row)).chain(urls).collect()
    }
}

/// Returns the sort key: dangerous rows first, the worst on top.
fn sort_key(row: &Row) -> (u8, Option<Danger>) {
    match row.dangers.first() {
        Some(Danger { risk, is_narrow }) => {
            (u8::from(*is_narrow), Some(Danger { risk: *risk, is_narrow: *is_narrow }))
        }
        None => (2, None),
    }
}

/// Returns true if one row per resource would be much larger than the rule.
fn is_large_product(rule: &Grant) -> bool {
    let (groups, resources) = (rule.groups.len(), rule.resources.len());
    let rest = rule.verbs.len() + rule.names.len();
    let all = groups.saturating_mul(resources).saturating_mul(1 + rest / 32);
    all > 4 * (groups + resources + rest) + 64
}

/// Returns the groups of the bundle's own APIs, whose permissions are harmless.
fn owned_groups(bundle: &OutlineInput) -> HashSet<String> {
    let owned = |key: &'static str| bundle.csv_items(&["spec", key, "owned"]).into_iter();
    let of_crd = |crd: Piece| crd.child_text(&["name"]).split_once('.').map(|(_, group)| group.to_owned());
    let crds = owned("customresourcedefinitions").filter_map(of_crd);
    let services = owned("apiservicedefinitions").map(|api| api.child_text(&["group"]).into_owned());
    crds.chain(services).collect()
}

/// Returns true if it may be installed for all namespaces. Then OLM converts all its permissions to cluster
/// roles.
fn supports_all(bundle: &OutlineInput) -> bool {
    let modes = bundle.csv_items(&["spec", "installModes"]);
    modes.iter().any(|mode| {
        mode.child_text(&["type"]) == "AllNamespaces" && field_access::is_true_at(mode.node, &["supported"])
    })
}
