//! Rule about permissions for `OperatorCondition`s.
//!
//! Source: operator-lifecycle-manager, `operatorcondition_controller.go`.

use super::BundleSubject;
use crate::{Finding, FindingLocation, findings::Findings, format::format_with_kind, rules};
use olm_bundle::field_access::{items_at, text_at, texts_at};
use olm_catalog::Node;

const GROUP: &str = "operators.coreos.com";
const RESOURCES: [&str; 2] = ["operatorconditions", "operatorconditions/status"];
const WRITE_VERBS: [&str; 5] = ["*", "create", "update", "patch", "delete"];
/// Permission lists of a `ClusterServiceVersion`, with the namespaces that they are for.
const LISTS: [(&str, &str); 2] = [("clusterPermissions", "all namespaces"), ("permissions", "its namespace")];

/// Rule of a service account that names `OperatorCondition`s.
struct ConditionRule {
    account: String,
    namespaces: &'static str,
    /// True if the account may change the conditions of other operators.
    changes_others: bool,
    at: FindingLocation,
}

pub(crate) fn condition_permissions(s: &BundleSubject<'_>, found: &mut Findings) {
    let mut rules = condition_rules(s);
    // The sort is stable: the rules that change other operators come first.
    rules.sort_by_key(|rule| !rule.changes_others);
    let mut rules = rules.into_iter();
    let Some(first) = rules.next() else { return };
    let account = format_with_kind("service account", &first.account);
    let (message, help) = if first.changes_others {
        (
            format!(
                "{account} may change the OperatorConditions of all operators in {}, and so hold back their upgrades",
                first.namespaces
            ),
            "remove the rule: OLM Classic grants each operator its own OperatorCondition",
        )
    } else {
        (
            format!(
                "{account} has a rule for OperatorConditions, but OLM Classic grants each operator its own"
            ),
            "remove the rule, unless the operator reads the conditions of other operators",
        )
    };
    let finding = Finding::new(&rules::OPERATOR_CONDITION, message).with_help(help).at_location(first.at);
    found.push(rules.fold(finding, |finding, rule| {
        let what = format!("a rule of {}", format_with_kind("service account", &rule.account));
        finding.with_related_location(what, rule.at)
    }));
}

fn condition_rules(s: &BundleSubject<'_>) -> Vec<ConditionRule> {
    let Some(csv) = s.csv() else { return Vec::new() };
    let mut rules = Vec::new();
    for (list, namespaces) in LISTS {
        for permission in items_at(csv.node(), &["spec", "install", "spec", list]) {
            for rule in items_at(permission, &["rules"]) {
                let Some(resource) = named_resource(rule) else { continue };
                let is_write = texts_at(rule, &["verbs"]).any(|verb| WRITE_VERBS.contains(&verb.as_ref()));
                rules.push(ConditionRule {
                    account: text_at(permission, &["serviceAccountName"]).into_owned(),
                    namespaces,
                    changes_others: is_write && items_at(rule, &["resourceNames"]).is_empty(),
                    at: s.location_in_object(csv.object, resource.span),
                });
            }
        }
    }
    rules
}

/// Returns the resource of a rule that names `OperatorCondition`s.
fn named_resource<'n>(rule: &'n Node<'n>) -> Option<&'n Node<'n>> {
    let is_group = texts_at(rule, &["apiGroups"]).any(|group| group == GROUP);
    let mut resources = items_at(rule, &["resources"]).iter();
    resources.find(|resource| is_group && resource.as_str().is_some_and(|name| RESOURCES.contains(&name)))
}
