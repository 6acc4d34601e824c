//! Rules of roles, and which rule includes another.

use olm_bundle::field_access::{items_at, texts_at};
use olm_catalog::Node;

use super::{mapping_node, string_list};

/// A rule of a role. Empty lists are absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PolicyRule {
    /// The API groups.
    pub groups: Vec<String>,
    /// The resources in the plural, with their subresources.
    pub resources: Vec<String>,
    /// The names of the objects. Empty if the rule is not limited.
    pub names: Vec<String>,
    /// The URLs that are not resources.
    pub urls: Vec<String>,
    /// The verbs.
    pub verbs: Vec<String>,
}

impl PolicyRule {
    /// Returns a rule on one resource.
    pub fn on_resource(group: &str, resource: &str, verbs: &[&str]) -> Self {
        Self {
            groups: vec![group.to_owned()],
            resources: vec![resource.to_owned()],
            verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Limits the rule to names.
    pub fn limited_to<T: AsRef<str>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.names = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        self
    }

    /// Returns the rules of a role, or of a permission of a CSV.
    pub fn rules_of(role: &Node<'_>) -> impl Iterator<Item = Self> {
        items_at(role, &["rules"]).iter().map(|rule| {
            let list = |key: &str| texts_at(rule, &[key]).map(Into::into).collect();
            Self {
                groups: list("apiGroups"),
                resources: list("resources"),
                names: list("resourceNames"),
                urls: list("nonResourceURLs"),
                verbs: list("verbs"),
            }
        })
    }

    /// Returns true if the rule allows all that `other` allows.
    pub fn includes_rule(&self, other: &Self) -> bool {
        let is_limited = !self.names.is_empty();
        includes_all(&self.verbs, &other.verbs)
            && includes_all(&self.groups, &other.groups)
            && includes_all(&self.resources, &other.resources)
            && includes_all(&self.urls, &other.urls)
            && (!is_limited || (!other.names.is_empty() && includes_all(&self.names, &other.names)))
    }

    /// Returns the rule as a part of a role.
    pub fn to_node(&self) -> Node<'static> {
        let lists = [
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.urls),
            ("verbs", &self.verbs),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        mapping_node(lists.map(|(key, list)| (key, string_list(list))))
    }
}

/// Returns true if a list has all items of the other, or `*`.
fn includes_all(list: &[String], other: &[String]) -> bool {
    list.iter().any(|item| item == "*") || other.iter().all(|item| list.contains(item))
}

/// Drops each rule that another rule includes, also one of `beside`.
pub(super) fn drop_included_rules(rules: &mut Vec<PolicyRule>, beside: &[PolicyRule]) {
    let mut kept: Vec<PolicyRule> = Vec::new();
    for rule in rules.drain(..) {
        if kept.iter().chain(beside).any(|other| other.includes_rule(&rule)) {
            continue;
        }
        kept.retain(|other| !rule.includes_rule(other));
        kept.push(rule);
    }
    *rules = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_rule(names: &[&str]) -> PolicyRule {
        PolicyRule::on_resource("apps", "deployments", &["get"]).limited_to(names)
    }

    #[test]
    fn rule_without_names_includes_rule_with_names_but_not_the_reverse() {
        assert!(names_rule(&[]).includes_rule(&names_rule(&["a"])));
        assert!(!names_rule(&["a"]).includes_rule(&names_rule(&[])));
        assert!(names_rule(&["a", "b"]).includes_rule(&names_rule(&["b"])));
        assert!(!names_rule(&["a"]).includes_rule(&names_rule(&["a", "b"])));
    }

    #[test]
    fn included_rules_are_dropped_in_any_order() {
        let all = PolicyRule::on_resource("*", "*", &["*"]);
        let url = PolicyRule {
            urls: vec!["/metrics".to_owned()],
            verbs: vec!["get".to_owned()],
            ..PolicyRule::default()
        };
        for order in
            [[names_rule(&[]), all.clone(), url.clone()], [all.clone(), url.clone(), names_rule(&[])]]
        {
            let mut rules = order.to_vec();
            drop_included_rules(&mut rules, &[]);
            // A rule on all resources says nothing about URLs.
            assert_eq!(rules, [all.clone(), url.clone()]);
        }
        let mut rules = vec![names_rule(&["a"])];
        drop_included_rules(&mut rules, &[names_rule(&["a"])]);
        assert_eq!(rules, []);
    }
}
