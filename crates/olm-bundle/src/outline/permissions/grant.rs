//! Permissions of one rule, and their dangers.

use std::borrow::Cow;

use super::{Danger, Risk};
use crate::outline::apis::{join_words, shorten_word};

/// Verbs on resources of groups, in all combinations.
#[derive(Clone, Debug, Default)]
pub(super) struct Grant<'m> {
    pub groups: Vec<Cow<'m, str>>,
    pub resources: Vec<Cow<'m, str>>,
    pub verbs: Vec<Cow<'m, str>>,
    /// Names of the resources; empty for all.
    pub names: Vec<Cow<'m, str>>,
    /// True if it is limited to namespaces.
    pub is_namespaced: bool,
}

const RBAC: &str = "rbac.authorization.k8s.io";
const ROLES: [&str; 2] = ["roles", "clusterroles"];
const READ_VERBS: [&str; 3] = ["get", "list", "watch"];
/// Verbs in their usual order.
const VERB_ORDER: [&str; 9] =
    ["*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const WRITE_VERBS: [&str; 3] = ["create", "update", "patch"];
/// Resources that create pods, by group.
const WORKLOADS: [(&str, &[&str]); 5] = [
    ("", &["pods", "replicationcontrollers"]),
    ("apps", &["deployments", "daemonsets", "statefulsets", "replicasets"]),
    ("batch", &["jobs", "cronjobs"]),
    ("extensions", &["deployments", "daemonsets", "replicasets"]),
    ("apps.openshift.io", &["deploymentconfigs"]),
];
const WEBHOOK_CONFIGURATIONS: [&str; 2] =
    ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"];
const SCC_GROUP: &str = "security.openshift.io";
const SCC: [&str; 1] = ["securitycontextconstraints"];
/// SCCs that give a pod no special privileges.
const HARMLESS_SCC: [&str; 4] = ["restricted", "restricted-v2", "nonroot", "nonroot-v2"];
const CERTIFICATES: &str = "certificates.k8s.io";

impl Grant<'_> {
    fn list_matches(list: &[Cow<str>], wanted: &str) -> bool {
        list.iter().any(|text| text == wanted)
    }

    fn has_verb(&self, wanted: &[&str]) -> bool {
        self.verbs.iter().any(|verb| verb == "*" || wanted.contains(&verb.as_ref()))
    }

    fn has_wildcard(list: &[Cow<str>]) -> bool {
        Self::list_matches(list, "*")
    }

    fn has_group(&self, wanted: &str) -> bool {
        self.groups.iter().any(|group| group == "*" || group == wanted)
    }

    /// Returns true if it includes one of some resources; `*/exec` means `exec` of all resources.
    fn has_resource(&self, wanted: &[&str]) -> bool {
        self.resources.iter().any(|resource| {
            let below = resource.strip_prefix("*/");
            let is_below = |wanted: &&str| wanted.split_once('/').is_some_and(|(_, sub)| below == Some(sub));
            resource == "*" || wanted.contains(&resource.as_ref()) || wanted.iter().any(is_below)
        })
    }

    fn allows(&self, group: &str, resources: &[&str], verbs: &[&str]) -> bool {
        self.has_group(group) && self.has_resource(resources) && self.has_verb(verbs)
    }

    /// Returns true if it names `OperatorCondition`s, by which operators hold back their upgrades.
    pub fn names_operator_conditions(&self) -> bool {
        let is_condition =
            |resource: &Cow<str>| resource.split('/').next().is_some_and(|name| name == "operatorconditions");
        Self::list_matches(&self.groups, "operators.coreos.com") && self.resources.iter().any(is_condition)
    }

    /// Sorts the verbs in the usual order and removes duplicates, so that equivalent rules are equal.
    pub fn sort_verbs(&mut self) {
        let place =
            |verb: &str| VERB_ORDER.iter().position(|usual| *usual == verb).unwrap_or(VERB_ORDER.len());
        self.verbs.sort_by(|a, b| (place(a), a).cmp(&(place(b), b)));
        self.verbs.dedup();
    }

    /// Returns its dangers. `owned` returns true for the groups of the bundle's own APIs; `is_lifted` is true
    /// if the rule may become cluster-wide.
    pub fn find_dangers(&self, owned: impl Fn(&str) -> bool, is_lifted: bool) -> Vec<Danger> {
        let is_narrow = self.is_namespaced || !self.names.is_empty();
        let danger = |risk| Danger { risk, is_narrow };
        let all = Self::has_wildcard(&self.groups) && Self::has_wildcard(&self.resources);
        if all && Self::has_wildcard(&self.verbs) && self.names.is_empty() {
            return vec![danger(Risk::Everything)];
        }
        let reaches = |risk: Risk| !self.is_namespaced || is_lifted || !risk.is_cluster_scoped();
        let is_foreign = |group: &Cow<str>| !owned(group);
        Risk::ALL
            .into_iter()
            .filter(|risk| reaches(*risk))
            .filter(|risk| match risk {
                Risk::Everything => false,
                Risk::Wildcard => Self::has_wildcard(&self.resources) && self.groups.iter().any(is_foreign),
                risk => self.has_risk(*risk),
            })
            .map(danger)
            .collect()
    }

    fn has_risk(&self, risk: Risk) -> bool {
        match risk {
            Risk::Everything | Risk::Wildcard => false,
            Risk::Escalate => self.allows(RBAC, &ROLES, &["escalate"]),
            Risk::Bind => self.allows(RBAC, &ROLES, &["bind"]),
            Risk::Impersonate => {
                self.has_verb(&["impersonate"])
                    && (self.has_group("") && self.has_resource(&["users", "groups", "serviceaccounts"])
                        || self.has_group("authentication.k8s.io") && self.has_extra_verbs())
            }
            Risk::Secrets => self.allows("", &["secrets"], &READ_VERBS),
            Risk::Tokens => self.allows("", &["serviceaccounts/token"], &["create"]),
            Risk::Exec => {
                self.allows("", &["pods/exec", "pods/attach", "pods/portforward"], &["create", "get"])
                    || self.allows("", &["pods/ephemeralcontainers"], &["update", "patch"])
            }
            Risk::NodeProxy => {
                self.allows("", &["nodes/proxy"], &["get", "create", "update", "patch", "delete"])
            }
            Risk::Webhooks => {
                self.allows("admissionregistration.k8s.io", &WEBHOOK_CONFIGURATIONS, &WRITE_VERBS)
            }
            Risk::Certificates => {
                self.allows(CERTIFICATES, &["certificatesigningrequests/approval"], &["update", "patch"])
                    || self.allows(CERTIFICATES, &["signers"], &["approve", "sign"])
            }
            Risk::Volumes => self.allows("", &["persistentvolumes"], &["create"]),
            Risk::SccUse => {
                let is_harmless = |name: &Cow<str>| HARMLESS_SCC.contains(&name.as_ref());
                let all_harmless = !self.names.is_empty() && self.names.iter().all(is_harmless);
                self.allows(SCC_GROUP, &SCC, &["use"]) && !all_harmless
            }
            Risk::SccChange => self.allows(SCC_GROUP, &SCC, &WRITE_VERBS),
            Risk::Workloads => {
                self.has_verb(&WRITE_VERBS)
                    && WORKLOADS
                        .iter()
                        .any(|(group, kinds)| self.has_group(group) && self.has_resource(kinds))
            }
            Risk::Namespaces => self.allows("", &["namespaces"], &["update", "patch"]),
        }
    }

    fn has_extra_verbs(&self) -> bool {
        let is_extra =
            |resource: &Cow<str>| resource == "*" || resource.starts_with("userextras") || resource == "uids";
        self.resources.iter().any(is_extra)
    }

    /// Describes what it allows, if that is dangerous: `may read every Secret in the cluster`.
    pub fn describe_dangers(&self, dangers: &[Danger]) -> String {
        let phrases: Vec<String> = dangers.iter().map(|danger| self.risk_phrase(danger.risk)).collect();
        let listed = match phrases.as_slice() {
            [] => return String::new(),
            [one] => one.clone(),
            [front @ .., last] => format!("{} and {last}", front.join(", ")),
        };
        let place = if self.is_namespaced { "in its target namespaces" } else { "in the cluster" };
        format!("may {listed} {place}")
    }

    fn risk_phrase(&self, risk: Risk) -> String {
        let one_or_all = |one: &str, many: &str, all: &str| match self.names.as_slice() {
            [] => all.to_owned(),
            [name] => format!("{one} {}", shorten_word(name)),
            names => format!("{many} {}", join_words(names, ", ")),
        };
        let writes = self.has_verb(&["update", "patch"]);
        match risk {
            Risk::Everything => "do everything".to_owned(),
            Risk::Escalate => format!("give {} any permission", one_or_all("the role", "the roles", "roles")),
            Risk::Bind => format!("bind {}", one_or_all("the role", "the roles", "any role")),
            Risk::Impersonate => {
                format!("act as {}", one_or_all("", "one of", "any user, group or service account").trim())
            }
            Risk::Secrets => {
                let verbs = if writes { "read and change" } else { "read" };
                format!("{verbs} {}", one_or_all("the Secret", "the Secrets", "every Secret"))
            }
            Risk::Tokens => format!(
                "issue tokens for {}",
                one_or_all("the service account", "the service accounts", "every service account")
            ),
            Risk::Exec => {
                let pods = one_or_all("the pod", "the pods", "every pod");
                let runs = self.has_resource(&["pods/exec", "pods/attach", "pods/ephemeralcontainers"]);
                if runs { format!("run commands in {pods}") } else { format!("connect to ports of {pods}") }
            }
            Risk::NodeProxy => {
                format!("run commands in the pods of {}", one_or_all("the node", "the nodes", "every node"))
            }
            Risk::Webhooks => {
                format!(
                    "change {}",
                    one_or_all("the admission webhook", "the admission webhooks", "every admission webhook")
                )
            }
            Risk::Certificates => {
                format!("approve certificates of {}", one_or_all("the signer", "the signers", "every signer"))
            }
            Risk::Volumes => "create volumes from any node's files".to_owned(),
            Risk::SccUse => {
                format!(
                    "run pods under {}",
                    one_or_all("the SCC", "the SCCs", "every SCC, privileged among them,")
                )
            }
            Risk::SccChange => format!("change {}", one_or_all("the SCC", "the SCCs", "every SCC")),
            Risk::Workloads => {
                let verb = if self.has_verb(&["create"]) { "run pods" } else { "change what pods run" };
                format!("{verb} as any service account")
            }
            Risk::Namespaces => {
                format!("relabel {}", one_or_all("the namespace", "the namespaces", "every namespace"))
            }
            Risk::Wildcard => {
                let groups: Vec<&str> = self.groups.iter().map(|group| group_name(group)).collect();
                let what = if Self::has_wildcard(&self.groups) {
                    "all resources".to_owned()
                } else {
                    format!("all resources of {}", join_words(&groups, ", "))
                };
                let verbs = if Self::has_wildcard(&self.verbs) {
                    "do anything with".to_owned()
                } else {
                    join_words(&self.verbs, ", ")
                };
                format!("{verbs} {what}")
            }
        }
    }
}

/// Returns the display name of a group.
pub(super) fn group_name(group: &str) -> &str {
    if group.is_empty() { "core" } else { group }
}
