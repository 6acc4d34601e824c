//! Permissions that the service account of a `ClusterExtension` needs to install a bundle, and no more.
//!
//! Source: operator-controller 1.0 to 1.10: `rukpak/convert` and `rukpak/render` create the objects, `contentmanager`
//! watches them in all namespaces, `authorization/rbac.go` lists the required verbs, and
//! `docs/howto/derive-service-account.md` describes the roles. Since 1.11 (pull request 2770)
//! `spec.serviceAccount` is ignored.

use std::collections::{BTreeMap, BTreeSet};

use olm_bundle::{
    field_access::{is_true_at, items_at, node_at, split_api_version, text_at},
    registry::{CRD_KIND, CSV_KIND, OTHER_KINDS},
    render::{JsonStyle, compact_json},
    v1::LoadedBundle,
};
use olm_catalog::{Member, Node, Span, Value};
use sha2::{Digest as _, Sha224};

use super::{
    InstallTarget, ObjectNames, ResourceError, ResourceNote, ResourceOptions, Resources, mapping_node,
    object_names, object_node,
    policy_rule::{PolicyRule, drop_included_rules},
    role_note, string_node,
};

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
/// Verbs that cannot be limited to names.
const COLLECTION_VERBS: [&str; 2] = ["list", "watch"];
/// Verbs on a single object.
const OBJECT_VERBS: [&str; 4] = ["get", "update", "patch", "delete"];
/// Kinds of a bundle that are not in a namespace.
const CLUSTER_KINDS: [&str; 8] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "PriorityClass",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
];
/// Versions that use the account.
const VERSIONS_NOTE: &str = "spec.serviceAccount counts in operator-controller 1.0 to 1.10, and in OpenShift 4.18 to \
    5.1 as of July 2026; operator-controller 1.11 ignores it and needs none of these roles";

impl Resources {
    /// Adds the roles of the installing service account, and their bindings, before the extension.
    ///
    /// # Errors
    ///
    /// Returns an error if the API does not accept a name.
    pub fn with_installer_role(
        mut self,
        stop: &InstallTarget,
        choices: &ResourceOptions,
        bundle: &LoadedBundle<'_>,
    ) -> Result<Self, ResourceError> {
        let names = object_names(stop, choices)?;
        let needed = role_note(&names);
        self.remarks.retain(|remark| remark.text != needed);
        let permissions = InstallerPermissions::from_bundle(bundle, &names);
        let at = self.objects.len().saturating_sub(1);
        self.objects.splice(at..at, permissions.to_objects(&names));
        let texts = std::iter::once(VERSIONS_NOTE.to_owned()).chain(permissions.notes);
        self.remarks.extend(texts.map(|text| ResourceNote { refuses: false, text }));
        Ok(self)
    }
}

/// Namespaces that the operator watches if the extension has no configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WatchScope {
    All,
    Own,
    /// The extension must name the namespace.
    Chosen,
}

impl WatchScope {
    fn from_csv(csv: &Node<'_>) -> Self {
        let supports = |mode: &str| {
            let modes = items_at(csv, &["spec", "installModes"]).iter();
            modes
                .rev()
                .find(|item| text_at(item, &["type"]) == mode)
                .is_some_and(|item| is_true_at(item, &["supported"]))
        };
        match () {
            () if supports("AllNamespaces") => Self::All,
            () if supports("OwnNamespace") => Self::Own,
            () => Self::Chosen,
        }
    }
}

/// Group and plural of a resource.
type ResourceKey = (String, String);

/// Permissions of the installing account.
#[derive(Debug, Default)]
struct InstallerPermissions {
    /// Names of the objects without a namespace.
    cluster_objects: BTreeMap<ResourceKey, BTreeSet<String>>,
    /// Names of the objects in the namespace of the installation.
    namespace_objects: BTreeMap<ResourceKey, BTreeSet<String>>,
    /// Rules that the account grants to others or that are about roles, in the whole cluster.
    cluster_rules: Vec<PolicyRule>,
    /// Such rules in the namespace of the installation.
    namespace_rules: Vec<PolicyRule>,
    notes: Vec<String>,
}

impl InstallerPermissions {
    fn from_bundle(bundle: &LoadedBundle<'_>, names: &ObjectNames) -> Self {
        let mut permissions = Self::default();
        let finalizers =
            PolicyRule::on_resource("olm.operatorframework.io", "clusterextensions/finalizers", &["update"]);
        permissions.cluster_rules.push(finalizers.limited_to([&names.name]));
        permissions.notes.push(
            "an upgrade also removes objects of the installed version: keep the rules of its own roles"
                .to_owned(),
        );
        for object in &bundle.objects {
            permissions.add_manifest(object.kind(), &object.document.node);
        }
        permissions.add_bindings(bundle);
        permissions.add_deployments(bundle.csv_node());
        permissions.add_permissions(bundle.csv_node());
        permissions
    }

    fn add_cluster_object(&mut self, group: &str, resource: &str, name: &str) {
        let key = (group.to_owned(), resource.to_owned());
        self.cluster_objects.entry(key).or_default().insert(name.to_owned());
    }

    fn add_namespace_object(&mut self, group: &str, resource: &str, name: &str) {
        let key = (group.to_owned(), resource.to_owned());
        self.namespace_objects.entry(key).or_default().insert(name.to_owned());
    }

    /// Adds an object of `manifests/`, and the rules of a role.
    fn add_manifest(&mut self, kind: &str, node: &Node<'_>) {
        let name = text_at(node, &["metadata", "name"]);
        let api_version = text_at(node, &["apiVersion"]);
        let group = split_api_version(&api_version).0;
        match kind {
            CSV_KIND => {}
            CRD_KIND => self.add_cluster_object(group, "customresourcedefinitions", &name),
            kind if CLUSTER_KINDS.contains(&kind) => {
                self.add_cluster_object(group, &resource_of_kind(kind), &name);
            }
            kind if OTHER_KINDS.contains(&kind) => {
                self.add_namespace_object(group, &resource_of_kind(kind), &name);
            }
            // OLM v1 refuses the bundle.
            _ => {}
        }
        match kind {
            "ClusterRole" => {
                self.cluster_rules.extend(PolicyRule::rules_of(node));
                if !items_at(node, &["aggregationRule", "clusterRoleSelectors"]).is_empty() {
                    self.notes.push(format!(
                        "ClusterRole {name} has an aggregationRule: only an account with all permissions may create it"
                    ));
                }
            }
            "Role" => self.namespace_rules.extend(PolicyRule::rules_of(node)),
            _ => {}
        }
    }

    /// Adds the verb `bind` on roles that the bundle binds and does not contain.
    fn add_bindings(&mut self, bundle: &LoadedBundle<'_>) {
        for object in &bundle.objects {
            let node = &object.document.node;
            let rules = match object.kind() {
                "ClusterRoleBinding" => &mut self.cluster_rules,
                "RoleBinding" => &mut self.namespace_rules,
                _ => continue,
            };
            let (kind, name) = (text_at(node, &["roleRef", "kind"]), text_at(node, &["roleRef", "name"]));
            let is_role = |other: &Node<'_>| {
                text_at(other, &["kind"]) == kind && text_at(other, &["metadata", "name"]) == name
            };
            if !bundle.objects.iter().any(|other| is_role(&other.document.node)) {
                let rule = PolicyRule::on_resource(RBAC_GROUP, &resource_of_kind(&kind), &["bind"]);
                rules.push(rule.limited_to([name]));
            }
        }
    }

    /// Adds the deployments, and the services and configurations of their webhooks.
    fn add_deployments(&mut self, csv: &Node<'_>) {
        let webhooks = items_at(csv, &["spec", "webhookdefinitions"]);
        for deployment in items_at(csv, &["spec", "install", "spec", "deployments"]) {
            let name = text_at(deployment, &["name"]);
            self.add_namespace_object("apps", "deployments", &name);
            // Only operator-controller 1.0 to 1.2 creates it without a permission.
            self.add_account(&text_at(deployment, &["spec", "template", "spec", "serviceAccountName"]));
            if webhooks.iter().any(|webhook| text_at(webhook, &["deploymentName"]) == name) {
                self.add_namespace_object(
                    "",
                    "services",
                    &join_object_name(&name.replace('.', "-"), "service"),
                );
            }
        }
        for webhook in webhooks {
            let resource = match text_at(webhook, &["type"]).as_ref() {
                "ValidatingAdmissionWebhook" => "validatingwebhookconfigurations",
                "MutatingAdmissionWebhook" => "mutatingwebhookconfigurations",
                _ => continue,
            };
            let name = text_at(webhook, &["generateName"]);
            let name = name.strip_suffix('-').unwrap_or(&name);
            self.add_cluster_object("admissionregistration.k8s.io", resource, name);
        }
        if !webhooks.is_empty() {
            self.notes.push(
                "if OLM v1 uses cert-manager, it also creates Issuers and Certificates, for which there are no rules here"
                    .to_owned(),
            );
        }
    }

    fn add_account(&mut self, name: &str) {
        if !matches!(name, "" | "default") {
            self.add_namespace_object("", "serviceaccounts", name);
        }
    }

    /// Adds the permissions of the CSV: the account must have what it grants.
    fn add_permissions(&mut self, csv: &Node<'_>) {
        let csv_name = text_at(csv, &["metadata", "name"]);
        let list = |key: &str| items_at(csv, &["spec", "install", "spec", key]);
        for permission in list("clusterPermissions") {
            self.add_account(&text_at(permission, &["serviceAccountName"]));
            self.add_generated_cluster_role(&csv_name, permission, None);
            self.cluster_rules.extend(PolicyRule::rules_of(permission));
        }
        let scope = WatchScope::from_csv(csv);
        let namespaces = PolicyRule::on_resource("", "namespaces", &["get", "list", "watch"]);
        for permission in list("permissions") {
            self.add_account(&text_at(permission, &["serviceAccountName"]));
            match scope {
                WatchScope::All => {
                    // operator-controller 1.0 to 1.2 names the role without the rule on namespaces.
                    self.add_generated_cluster_role(&csv_name, permission, None);
                    self.add_generated_cluster_role(&csv_name, permission, Some(&namespaces));
                    self.cluster_rules.extend(PolicyRule::rules_of(permission));
                    self.cluster_rules.push(namespaces.clone());
                }
                WatchScope::Own => {
                    let name = generated_role_name(&csv_name, permission, None);
                    self.add_namespace_object(RBAC_GROUP, "roles", &name);
                    self.add_namespace_object(RBAC_GROUP, "rolebindings", &name);
                    self.namespace_rules.extend(PolicyRule::rules_of(permission));
                }
                WatchScope::Chosen => {}
            }
        }
        if scope == WatchScope::Chosen && !list("permissions").is_empty() {
            for resource in ["roles", "rolebindings"] {
                self.cluster_rules.push(PolicyRule::on_resource(RBAC_GROUP, resource, &COLLECTION_VERBS));
            }
            self.notes.push(format!(
                "{csv_name} watches a namespace that the extension names: the permissions of the CSV for that namespace \
                 are not included, nor its Roles and RoleBindings there"
            ));
        }
    }

    fn add_generated_cluster_role(&mut self, csv: &str, permission: &Node<'_>, extra: Option<&PolicyRule>) {
        let name = generated_role_name(csv, permission, extra);
        self.add_cluster_object(RBAC_GROUP, "clusterroles", &name);
        self.add_cluster_object(RBAC_GROUP, "clusterrolebindings", &name);
    }

    /// Returns the rules of the cluster role, then those of the role in the namespace.
    fn to_rules(&self) -> [Vec<PolicyRule>; 2] {
        let (mut cluster, mut namespaced) = (Vec::new(), Vec::new());
        for ((group, resource), names) in &self.cluster_objects {
            cluster.push(PolicyRule::on_resource(group, resource, &["create", "list", "watch"]));
            cluster.push(PolicyRule::on_resource(group, resource, &OBJECT_VERBS).limited_to(names));
        }
        for ((group, resource), names) in &self.namespace_objects {
            // OLM v1 watches its objects in all namespaces.
            cluster.push(PolicyRule::on_resource(group, resource, &COLLECTION_VERBS));
            namespaced.push(PolicyRule::on_resource(group, resource, &["create"]));
            namespaced.push(PolicyRule::on_resource(group, resource, &OBJECT_VERBS).limited_to(names));
        }
        cluster.extend(self.cluster_rules.iter().cloned());
        namespaced.extend(self.namespace_rules.iter().cloned());
        drop_included_rules(&mut cluster, &[]);
        drop_included_rules(&mut namespaced, &cluster);
        [cluster, namespaced]
    }

    fn to_objects(&self, names: &ObjectNames) -> Vec<Node<'static>> {
        let role_name = format!("{}-installer", names.name);
        let [cluster, namespaced] = self.to_rules();
        let mut objects = role_objects("ClusterRole", &role_name, names, &cluster);
        if !namespaced.is_empty() {
            objects.extend(role_objects("Role", &role_name, names, &namespaced));
        }
        objects
    }
}

/// Creates a role and its binding to the service account.
fn role_objects(
    kind: &'static str,
    role_name: &str,
    names: &ObjectNames,
    rules: &[PolicyRule],
) -> Vec<Node<'static>> {
    let api_version = format!("{RBAC_GROUP}/v1");
    let namespace = (kind == "Role").then_some(names.namespace.as_str());
    let mut role = object_node(&api_version, kind, role_name, namespace, None);
    let list = Node::new(Value::List(rules.iter().map(PolicyRule::to_node).collect()), Span::default());
    add_member(&mut role, "rules", list);
    let mut binding = object_node(&api_version, &format!("{kind}Binding"), role_name, namespace, None);
    let reference = [
        ("apiGroup", string_node(RBAC_GROUP)),
        ("kind", string_node(kind)),
        ("name", string_node(role_name)),
    ];
    add_member(&mut binding, "roleRef", mapping_node(reference));
    let subject = mapping_node([
        ("kind", string_node("ServiceAccount")),
        ("name", string_node(&names.account)),
        ("namespace", string_node(&names.namespace)),
    ]);
    add_member(&mut binding, "subjects", Node::new(Value::List(vec![subject]), Span::default()));
    vec![role, binding]
}

fn add_member(object: &mut Node<'static>, key: &'static str, value: Node<'static>) {
    if let Value::Map(members) = &mut object.value {
        members.push(Member { key: key.into(), key_span: Span::default(), value });
    }
}

/// Returns the plural of a kind.
fn resource_of_kind(kind: &str) -> String {
    let lower = kind.to_ascii_lowercase();
    match lower.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if lower.ends_with('s') => format!("{lower}es"),
        None => format!("{lower}s"),
    }
}

/// Returns the name that OLM v1 gives to the role of a permission. `extra` is a rule that OLM v1 adds.
fn generated_role_name(csv: &str, permission: &Node<'_>, extra: Option<&PolicyRule>) -> String {
    let account = text_at(permission, &["serviceAccountName"]);
    let base = format!("{csv}-{}", if account.is_empty() { "default" } else { account.as_ref() });
    let json = compact_json(&permission_node(permission, extra), JsonStyle::Escaped);
    join_object_name(&base, &to_base36(&Sha224::digest(format!("{json}\n"))))
}

/// Returns a permission with the fields that Go writes, in their order.
fn permission_node(permission: &Node<'_>, extra: Option<&PolicyRule>) -> Node<'static> {
    let own = items_at(permission, &["rules"]).iter().map(|rule| {
        let list = |key: &'static str| node_at(rule, &[key]).map(|node| (key, node.detached()));
        let verbs = list("verbs").unwrap_or(("verbs", Node::new(Value::Null, Span::default())));
        let others =
            ["apiGroups", "resources", "resourceNames", "nonResourceURLs"].into_iter().filter_map(list);
        mapping_node(std::iter::once(verbs).chain(others.filter(|(_, node)| !node.items().is_empty())))
    });
    let extra = extra.map(|rule| {
        let list = |key: &'static str, list: &[String]| (key, super::string_list(list));
        mapping_node([
            list("verbs", &rule.verbs),
            list("apiGroups", &rule.groups),
            list("resources", &rule.resources),
        ])
    });
    let rules: Vec<_> = own.chain(extra).collect();
    let is_absent = node_at(permission, &["rules"]).is_none_or(Node::is_null) && rules.is_empty();
    let rules = if is_absent { Value::Null } else { Value::List(rules) };
    mapping_node([
        ("serviceAccountName", string_node(&text_at(permission, &["serviceAccountName"]))),
        ("rules", Node::new(rules, Span::default())),
    ])
}

/// Joins a name and a suffix. Shortens the name so that the result is a label.
fn join_object_name(base: &str, suffix: &str) -> String {
    const MAX_BYTES: usize = 63;
    let end = if base.len() + suffix.len() > MAX_BYTES {
        MAX_BYTES.saturating_sub(suffix.len() + 1)
    } else {
        base.len()
    };
    format!("{}-{suffix}", base.get(..end).unwrap_or(base))
}

/// Formats a big-endian number with the digits 0 to 9 and a to z.
fn to_base36(bytes: &[u8]) -> String {
    let mut number = bytes.to_vec();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 36).unwrap_or_default();
            rest = value % 36;
        }
        digits.push(char::from_digit(rest, 36).unwrap_or('0'));
    }
    if digits.is_empty() {
        digits.push('0');
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests;
