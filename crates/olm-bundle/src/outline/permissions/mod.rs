//! Permissions of each service account in plain words, dangerous ones first.

mod grant;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

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
            let mut note = grant.describe_dangers(&dangers);
            if note.is_empty() && grant.names_operator_conditions() {
                "OLM Classic grants each operator its own".clone_into(&mut note);
            }
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

/// A way to more rights than a permission seems to give, in order of severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Risk {
    /// Every verb on every resource of every group.
    Everything,
    /// The verb `escalate` on roles.
    Escalate,
    /// The verb `bind` on roles.
    Bind,
    /// The verb `impersonate`.
    Impersonate,
    /// Secrets can be read.
    Secrets,
    /// Tokens of service accounts can be made.
    Tokens,
    /// Commands can be run in pods.
    Exec,
    /// The kubelet's API can be reached.
    NodeProxy,
    /// Admission webhooks can be changed.
    Webhooks,
    /// Certificates can be approved.
    Certificates,
    /// Volumes can be created on a node's own disk.
    Volumes,
    /// Pods may run under a `SecurityContextConstraints` that is not restricted.
    SccUse,
    /// `SecurityContextConstraints` can be changed.
    SccChange,
    /// Pods can be created, directly or through a workload.
    Workloads,
    /// Namespaces can be labelled.
    Namespaces,
    /// All resources of a group that does not belong to the bundle.
    Wildcard,
}

impl Risk {
    /// All risks.
    pub const ALL: [Self; 16] = [
        Self::Everything,
        Self::Escalate,
        Self::Bind,
        Self::Impersonate,
        Self::Secrets,
        Self::Tokens,
        Self::Exec,
        Self::NodeProxy,
        Self::Webhooks,
        Self::Certificates,
        Self::Volumes,
        Self::SccUse,
        Self::SccChange,
        Self::Workloads,
        Self::Namespaces,
        Self::Wildcard,
    ];

    /// Returns its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Escalate => "escalate",
            Self::Bind => "bind",
            Self::Impersonate => "impersonate",
            Self::Secrets => "secrets",
            Self::Tokens => "tokens",
            Self::Exec => "exec",
            Self::NodeProxy => "node-proxy",
            Self::Webhooks => "admission-webhooks",
            Self::Certificates => "certificates",
            Self::Volumes => "persistent-volumes",
            Self::SccUse => "scc-use",
            Self::SccChange => "scc-change",
            Self::Workloads => "workloads",
            Self::Namespaces => "namespaces",
            Self::Wildcard => "wildcard",
        }
    }

    /// Returns the reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Everything | Self::Wildcard => {
                "Wildcard access gives rights not just to all object types that exist in the cluster, but also to all that \
                 will be created."
            }
            Self::Escalate => {
                "Kubernetes does not let users create roles with more rights than they have, except with the escalate verb."
            }
            Self::Bind => {
                "The bind verb lets one create bindings to roles with rights that one does not have."
            }
            Self::Impersonate => {
                "The impersonate verb lets one gain the rights of other users in the cluster."
            }
            Self::Secrets => {
                "Get access allows one to read the contents of Secrets; list and watch reveal them just as well."
            }
            Self::Tokens => {
                "Create rights on serviceaccounts/token allow one to issue tokens for existing service accounts."
            }
            Self::Exec => {
                "A command in a container has what its pod has: the Secrets, the volumes, the service account's token."
            }
            Self::NodeProxy => {
                "The proxy of nodes is the kubelet's API: commands in every pod of the node, past audit logs and admission."
            }
            Self::Webhooks => {
                "Who controls admission webhooks can read every object that is admitted to the cluster, and change it."
            }
            Self::Certificates => {
                "Who can approve signing requests can make client certificates for any name, system users too."
            }
            Self::Volumes => {
                "PersistentVolumes may be hostPath volumes, which give a pod the file system of its node."
            }
            Self::SccUse => {
                "The SCC decides what a pod may be: root, privileged, with the node's network, processes and files."
            }
            Self::SccChange => {
                "Who can change an SCC can allow any pod to be root, privileged and on the node's network."
            }
            Self::Workloads => {
                "A pod can mount every Secret and run as every service account of its namespace; who creates pods has both."
            }
            Self::Namespaces => {
                "Labels of a namespace choose its Pod Security level and are what network policies select."
            }
        }
    }

    /// Returns the URL of the documentation.
    pub fn documentation_url(self) -> &'static str {
        match self {
            Self::Everything | Self::Wildcard => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#least-privilege"
            }
            Self::Escalate => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#escalate-verb"
            }
            Self::Bind => "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#bind-verb",
            Self::Impersonate => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#impersonate-verb"
            }
            Self::Secrets => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#listing-secrets"
            }
            Self::Tokens => "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#token-request",
            Self::Exec | Self::Workloads => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#workload-creation"
            }
            Self::NodeProxy => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#access-to-proxy-subresource-of-nodes"
            }
            Self::Webhooks => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#control-admission-webhooks"
            }
            Self::Certificates => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#csrs-and-certificate-issuing"
            }
            Self::Volumes => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#persistent-volume-creation"
            }
            Self::Namespaces => {
                "https://kubernetes.io/docs/concepts/security/rbac-good-practices/#namespace-modification"
            }
            Self::SccUse | Self::SccChange => {
                "https://docs.redhat.com/en/documentation/openshift_container_platform/latest/html/authentication_and_authorization/managing-pod-security-policies"
            }
        }
    }

    /// Returns true if it is about cluster-scoped resources, so that a Role does not grant it.
    fn is_cluster_scoped(self) -> bool {
        matches!(
            self,
            Self::NodeProxy | Self::Webhooks | Self::Certificates | Self::Volumes | Self::SccChange
        )
    }
}

/// A dangerous use of a permission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Danger {
    /// Kind of the risk.
    pub risk: Risk,
    /// True if it is limited to some namespaces, or to resources with some names.
    pub is_narrow: bool,
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::grant::Grant;
    use super::{Danger, Risk};

    /// Creates a cluster-wide grant from `verbs / groups / resources / names`.
    fn parse_grant(text: &str) -> Grant<'_> {
        let mut parts =
            text.split(" / ").map(|part| part.split_whitespace().map(Cow::Borrowed).collect::<Vec<_>>());
        let mut next = || parts.next().unwrap_or_default();
        let (verbs, groups, resources, names) = (next(), next(), next(), next());
        let core = |group: Cow<'_, str>| if group == "core" { "".into() } else { group.into_owned().into() };
        let groups = groups.into_iter().map(core).collect();
        Grant { groups, resources, verbs, names, is_namespaced: false }
    }

    fn grant_dangers(grant: &Grant) -> Vec<Danger> {
        grant.find_dangers(|group| group == "coast.example.com", false)
    }

    #[test]
    fn each_documented_kubernetes_risk_is_described() {
        let cases = [
            ("* / * / *", "may do everything in the cluster"),
            ("get list / core / secrets", "may read every Secret in the cluster"),
            ("get patch / core / secrets / one", "may read and change the Secret one in the cluster"),
            ("create patch / core / secrets", ""),
            (
                "escalate / rbac.authorization.k8s.io / clusterroles",
                "may give roles any permission in the cluster",
            ),
            ("bind / rbac.authorization.k8s.io / roles / a b", "may bind the roles a, b in the cluster"),
            ("impersonate / core / users", "may act as any user, group or service account in the cluster"),
            (
                "impersonate / authentication.k8s.io / userextras/scopes",
                "may act as any user, group or service account in the cluster",
            ),
            (
                "create / core / serviceaccounts/token",
                "may issue tokens for every service account in the cluster",
            ),
            ("create / core / pods/exec", "may run commands in every pod in the cluster"),
            ("create / core / */exec", "may run commands in every pod in the cluster"),
            ("get / core / pods/portforward", "may connect to ports of every pod in the cluster"),
            ("patch / core / pods/ephemeralcontainers", "may run commands in every pod in the cluster"),
            ("get / core / nodes/proxy", "may run commands in the pods of every node in the cluster"),
            (
                "update / admissionregistration.k8s.io / mutatingwebhookconfigurations",
                "may change every admission webhook in the cluster",
            ),
            ("get / admissionregistration.k8s.io / mutatingwebhookconfigurations", ""),
            (
                "approve / certificates.k8s.io / signers / example.com/coast",
                "may approve certificates of the signer example.com/coast in the cluster",
            ),
            (
                "update / certificates.k8s.io / certificatesigningrequests/approval",
                "may approve certificates of every signer in the cluster",
            ),
            ("create / core / persistentvolumes", "may create volumes from any node's files in the cluster"),
            ("create / core / persistentvolumeclaims", ""),
            (
                "use / security.openshift.io / securitycontextconstraints / privileged",
                "may run pods under the SCC privileged in the cluster",
            ),
            ("use / security.openshift.io / securitycontextconstraints / restricted-v2", ""),
            (
                "update / security.openshift.io / securitycontextconstraints",
                "may change every SCC in the cluster",
            ),
            ("create / apps / daemonsets", "may run pods as any service account in the cluster"),
            ("patch / batch / jobs", "may change what pods run as any service account in the cluster"),
            ("create / example.com / deployments", ""),
            ("patch / core / namespaces", "may relabel every namespace in the cluster"),
            ("get / coast.example.com / *", ""),
            ("* / coast.example.com / *", ""),
            ("get / sea.example.com / *", "may get all resources of sea.example.com in the cluster"),
            ("get / * / *", "may read every Secret, connect to ports"),
        ];
        for (text, sentence) in cases {
            let grant = parse_grant(text);
            let said = grant.describe_dangers(&grant_dangers(&grant));
            if text == "get / * / *" {
                assert!(
                    said.starts_with("may read every Secret")
                        && said.ends_with("get all resources in the cluster"),
                    "{said}"
                );
            } else {
                assert_eq!(said, sentence, "{text}");
            }
        }
    }

    #[test]
    fn names_and_namespaces_narrow_and_role_does_not_reach_cluster_resources() {
        let mut volumes = parse_grant("create / core / persistentvolumes");
        volumes.is_namespaced = true;
        assert!(grant_dangers(&volumes).is_empty());
        // Under AllNamespaces OLM converts it to a ClusterRole.
        assert_eq!(volumes.find_dangers(|_| false, true), [Danger { risk: Risk::Volumes, is_narrow: true }]);
        let mut secrets = parse_grant("watch / core / secrets");
        assert!(!grant_dangers(&secrets)[0].is_narrow);
        secrets.is_namespaced = true;
        assert!(grant_dangers(&secrets)[0].is_narrow);
        assert_eq!(
            secrets.describe_dangers(&grant_dangers(&secrets)),
            "may read every Secret in its target namespaces"
        );
    }

    #[test]
    fn every_risk_has_name_reason_and_source() {
        let names: std::collections::BTreeSet<&str> = Risk::ALL.iter().map(|risk| risk.id()).collect();
        assert_eq!(names.len(), Risk::ALL.len());
        for risk in Risk::ALL {
            assert!(
                risk.reason().ends_with('.') && risk.documentation_url().starts_with("https://"),
                "{risk:?}"
            );
        }
    }
}
