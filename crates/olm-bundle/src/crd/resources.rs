//! Check of existing resources against new CRDs. OLM Classic validates the resources on a cluster before it replaces a
//! CRD (operator-lifecycle-manager `pkg/controller/operators/catalog`, `validateExistingCRs`).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{Crd, CrdLocation, CrdSet, SourceText, UnreadFile};
use crate::{
    document::{DocumentError, parse_all},
    field_access::text_at,
    registry::CRD_KIND,
    schema::{Budget, VersionSchema, version_schema},
};
use olm_catalog::{Node, Value};

/// Objects of a cluster, from files.
#[derive(Debug, Default)]
pub struct ResourceSet<'a> {
    objects: Vec<ResourceObject<'a>>,
    /// Unreadable files, which may contain further objects.
    pub unread: Vec<UnreadFile>,
}

/// Object with its location.
#[derive(Debug)]
struct ResourceObject<'a> {
    node: Node<'a>,
    source: Arc<SourceText<'a>>,
    start: usize,
    /// API version, such as `coast.example.com/v1`.
    api: String,
    kind: String,
}

impl ResourceObject<'_> {
    fn text(&self, path: &[&str]) -> String {
        text_at(&self.node, path).into_owned()
    }

    /// Returns the group and kind.
    fn group_and_kind(&self) -> (String, String) {
        let group = self.api.split_once('/').map(|(group, _)| group.to_owned()).unwrap_or_default();
        (group, self.kind.clone())
    }
}

impl<'a> ResourceSet<'a> {
    /// Adds the objects of a file: any number of documents, each an object, a list of objects, or an object such as
    /// `kind: List` with `items`. `shown` is the display path.
    pub fn add_resource_file(&mut self, shown: &str, bytes: &'a [u8]) {
        let source = Arc::new(SourceText::from_file(shown, bytes));
        for document in parse_all(bytes) {
            match document {
                Ok(document) => self.add_document(document.node, &source, document.start),
                Err(DocumentError::Empty) => {}
                Err(DocumentError::Unreadable(error)) => self.unread.push(UnreadFile {
                    file: shown.to_owned(),
                    place: source.location(error.span.start as usize),
                    reason: error.message_without_values(),
                    hint: error.hint(),
                }),
            }
        }
    }

    fn add_document(&mut self, root: Node<'a>, source: &Arc<SourceText<'a>>, start: usize) {
        // Each node has the API version and kind that its list gives to objects without their own.
        let mut pending = vec![(root, String::new(), String::new())];
        while let Some((node, list_api, list_kind)) = pending.pop() {
            let own = |key: &str, given: String| match text_at(&node, &[key]) {
                text if text.is_empty() => given,
                text => text.into_owned(),
            };
            let (api, kind) = (own("apiVersion", list_api), own("kind", list_kind));
            let has_items = node.get("items").is_some_and(|items| matches!(items.value, Value::List(_)));
            match node.value {
                Value::Map(_) if has_items && kind.ends_with("List") => {
                    let Value::Map(members) = node.into_value() else { continue };
                    let items = members.into_iter().filter(|member| member.key == "items");
                    let inner = kind.strip_suffix("List").unwrap_or_default();
                    let api = if inner.is_empty() { "" } else { api.as_str() };
                    pending.extend(items.map(|items| (items.value, api.to_owned(), inner.to_owned())));
                }
                Value::List(_) => {
                    let Value::List(items) = node.into_value() else { continue };
                    pending.extend(items.into_iter().rev().map(|item| (item, api.clone(), kind.clone())));
                }
                Value::Map(_) => {
                    self.objects.push(ResourceObject { node, source: Arc::clone(source), start, api, kind });
                }
                _ => {}
            }
        }
    }
}

/// Result of the check of resources.
#[derive(Debug, Default)]
pub struct ResourceCheck {
    /// Results by CRD, for each CRD with resources.
    pub crds: BTreeMap<String, CheckedCrd>,
    /// Values that do not fit, in the order of CRDs, files and lines.
    pub misfits: Vec<ResourceMisfit>,
    /// Number of objects without a new CRD, by kind and group. They were not checked.
    pub other_kinds: BTreeMap<(String, String), usize>,
    /// Resources that are too large to check.
    pub undecided: Vec<ResourceName>,
}

/// Numbers of resources of a CRD.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckedCrd {
    /// Number of checked resources.
    pub checked: usize,
    /// Number of resources with values that do not fit.
    pub refused: usize,
    /// True if the files have the installed CRD, so that its served versions are known.
    pub has_installed_crd: bool,
    /// True if OLM Classic only warns, because a webhook converts resources.
    pub only_warns: bool,
}

/// Name and location of a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceName {
    /// Name of its CRD.
    pub crd: String,
    /// Namespace; empty for cluster-scoped resources.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Location of the value that does not fit, or of the resource.
    pub location: Option<CrdLocation>,
}

/// Value of a resource that does not fit the new CRD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceMisfit {
    /// Resource.
    pub resource: ResourceName,
    /// Versions of the new CRD whose schema the value does not fit.
    pub versions: Vec<String>,
    /// Path of the field, such as `spec.size`.
    pub field: String,
    /// Error of the field, without its value, which may be secret.
    pub message: String,
    /// True if the installed CRD refuses the value too; `None` if the files do not have that CRD.
    pub was_refused: Option<bool>,
}

impl ResourceCheck {
    /// Returns true if OLM Classic refuses the new CRDs because of a resource.
    pub fn is_refused(&self) -> bool {
        self.crds.values().any(|crd| crd.refused > 0 && !crd.only_warns)
    }

    /// Returns the number of checked resources.
    pub fn checked_count(&self) -> usize {
        self.crds.values().map(|crd| crd.checked).sum()
    }
}

/// Checks resources against new CRDs. A CRD among the resources is the installed one: only versions that both serve are
/// checked.
pub fn check_resources(new: &CrdSet<'_>, resources: &ResourceSet<'_>) -> ResourceCheck {
    let mut by_kind: HashMap<(String, String), &Crd<'_>> = HashMap::new();
    for crd in &new.crds {
        by_kind.entry((crd.group().into_owned(), crd.kind().into_owned())).or_insert(crd);
    }
    let is_crd = |object: &&ResourceObject<'_>| object.kind == CRD_KIND;
    let installed = resources.objects.iter().filter(is_crd).filter_map(|object| {
        let crd = Crd::from_node(object.node.clone(), Arc::clone(&object.source), object.start)?;
        Some((crd.name().into_owned(), crd))
    });
    let installed: HashMap<String, Crd<'_>> = installed.collect();
    let mut result = ResourceCheck::default();
    let mut checkers: HashMap<String, ResourceChecker<'_>> = HashMap::new();
    for object in resources.objects.iter().filter(|object| !is_crd(object)) {
        let (group, kind) = object.group_and_kind();
        let Some(crd) = by_kind.get(&(group.clone(), kind.clone())) else {
            *result.other_kinds.entry((kind, group)).or_default() += 1;
            continue;
        };
        let name = crd.name().into_owned();
        let old = installed.get(&name);
        let checker = checkers.entry(name.clone()).or_insert_with(|| ResourceChecker::for_crd(crd, old));
        checker.check_object(object, name, &mut result);
    }
    result.misfits.sort_by(|a, b| a.resource.crd.cmp(&b.resource.crd));
    result
}

/// Schemas of a CRD for its resources.
struct ResourceChecker<'c> {
    new: &'c Crd<'c>,
    old: Option<&'c Crd<'c>>,
    /// Versions to check, with their schemas in the new and in the installed CRD.
    versions: Vec<CheckedVersion<'c>>,
    budget: Budget,
}

struct CheckedVersion<'c> {
    name: String,
    new: VersionSchema<'c>,
    old: Option<VersionSchema<'c>>,
}

impl<'c> ResourceChecker<'c> {
    fn for_crd(new: &'c Crd<'c>, old: Option<&'c Crd<'c>>) -> Self {
        let is_served = |crd: &Crd<'_>, name: &str| {
            crd.versions().iter().any(|version| version.is_served && version.name == name)
        };
        let served = new.versions().into_iter().filter(|version| version.is_served);
        let served = served.filter(|version| old.is_none_or(|old| is_served(old, &version.name)));
        let schema = |crd: &'c Crd<'c>, version: &str| {
            version_schema(crd.node(), version).map(VersionSchema::with_hidden_values)
        };
        let versions = served.filter_map(|version| {
            let old = old.and_then(|old| schema(old, &version.name));
            Some(CheckedVersion { new: schema(new, &version.name)?, old, name: version.name.into_owned() })
        });
        Self { new, old, versions: versions.collect(), budget: Budget::default() }
    }

    fn check_object(&self, object: &ResourceObject<'_>, crd: String, result: &mut ResourceCheck) {
        self.budget.refill();
        let resource = ResourceName {
            crd: crd.clone(),
            namespace: object.text(&["metadata", "namespace"]),
            name: object.text(&["metadata", "name"]),
            location: object.source.location_of_span(object.start, object.node.span),
        };
        let own = object.api.rsplit('/').next().unwrap_or_default();
        // Without a webhook, a resource has the same form in all versions.
        let is_checked =
            |version: &&CheckedVersion<'_>| !self.new.converts_by_webhook() || version.name == own;
        let mut misfits: Vec<ResourceMisfit> = Vec::new();
        for version in self.versions.iter().filter(is_checked) {
            let errors = version.new.validate_stored(&object.node, &self.budget).list;
            let old = version.old.filter(|_| !errors.is_empty());
            let old_fields: Option<Vec<String>> = old.map(|old| {
                let errors = old.validate_stored(&object.node, &self.budget).list;
                errors.into_iter().map(|error| error.field).collect()
            });
            for error in errors {
                let known = |misfit: &&mut ResourceMisfit| {
                    misfit.field == error.field && misfit.message == error.message
                };
                if let Some(misfit) = misfits.iter_mut().find(known) {
                    misfit.versions.push(version.name.clone());
                    continue;
                }
                let location = object.source.location_of_span(object.start, error.span);
                misfits.push(ResourceMisfit {
                    resource: ResourceName { location, ..resource.clone() },
                    versions: vec![version.name.clone()],
                    was_refused: old_fields.as_ref().map(|fields| fields.contains(&error.field)),
                    field: error.field,
                    message: error.message,
                });
            }
        }
        if self.budget.is_spent() {
            result.undecided.push(resource);
            return;
        }
        let checked = result.crds.entry(crd).or_default();
        checked.checked += 1;
        checked.refused += usize::from(!misfits.is_empty());
        checked.has_installed_crd = self.old.is_some();
        checked.only_warns = self.new.converts_by_webhook();
        result.misfits.extend(misfits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a CRD whose `spec.size` has a minimum, in two served versions.
    fn crd_text(minimum: u32, more: &str) -> String {
        let version = |name: &str, storage: bool| {
            format!(
                "  - name: {name}
    served: true
    storage: {storage}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {{type: integer, minimum: {minimum}}}
              token: {{type: string, maxLength: 5}}
"
            )
        };
        format!(
            "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: lights.coast.example.com}}
spec:
  group: coast.example.com
  names: {{kind: Light, plural: lights}}
{more}  versions:
{}{}",
            version("v1", true),
            version("v2", false)
        )
    }

    const RESOURCES: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: coast.example.com/v1
  kind: Light
  metadata: {name: tower, namespace: harbour}
  spec: {size: 3, token: secretsecret}
- apiVersion: coast.example.com/v1
  kind: Light
  metadata: {name: pier}
  spec: {size: 9}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
";

    fn check(new: &str, resources: &[&str]) -> ResourceCheck {
        let mut set = ResourceSet::default();
        for text in resources {
            set.add_resource_file("crs.yaml", text.as_bytes());
        }
        assert_eq!(set.unread, []);
        check_resources(&CrdSet::from_file("new.yaml", new.as_bytes()), &set)
    }

    fn messages(result: &ResourceCheck) -> Vec<String> {
        let line = |misfit: &ResourceMisfit| {
            let line = misfit.resource.location.as_ref().unwrap().line;
            let versions = misfit.versions.join(",");
            format!("{}:{line} {versions} {} {}", misfit.resource.name, misfit.field, misfit.message)
        };
        result.misfits.iter().map(line).collect()
    }

    #[test]
    fn reports_values_that_do_not_fit_without_the_values() {
        let result = check(&crd_text(5, ""), &[RESOURCES]);
        assert_eq!(
            messages(&result),
            [
                "tower:7 v1,v2 spec.size is a number, the minimum is 5",
                "tower:7 v1,v2 spec.token has 12 characters, at most 5 are allowed",
            ]
        );
        let crd = result.crds["lights.coast.example.com"];
        assert_eq!(crd, CheckedCrd { checked: 2, refused: 1, has_installed_crd: false, only_warns: false });
        assert_eq!(result.misfits[0].was_refused, None);
        assert_eq!(result.other_kinds[&("ConfigMap".to_owned(), String::new())], 1);
        assert!(result.is_refused());
    }

    #[test]
    fn installed_crd_limits_versions_and_tells_old_errors() {
        let installed = crd_text(1, "").replace("name: v2\n    served: true", "name: v2\n    served: false");
        let result = check(&crd_text(5, ""), &[RESOURCES, &installed]);
        assert_eq!(messages(&result)[0], "tower:7 v1 spec.size is a number, the minimum is 5");
        let was_refused: Vec<_> = result.misfits.iter().map(|misfit| misfit.was_refused).collect();
        assert_eq!(was_refused, [Some(false), Some(true)], "the token was too long before");
        assert!(result.crds["lights.coast.example.com"].has_installed_crd);
    }

    #[test]
    fn webhook_conversion_only_warns_and_keeps_the_own_version() {
        let webhook = "  conversion: {strategy: Webhook}\n";
        let result = check(&crd_text(5, webhook), &[RESOURCES]);
        assert_eq!(messages(&result)[0], "tower:7 v1 spec.size is a number, the minimum is 5");
        assert!(!result.is_refused());
    }

    #[test]
    fn reads_lists_and_several_documents() {
        let json = "[{\"apiVersion\": \"coast.example.com/v2\", \"kind\": \"Light\", \"metadata\": {\"name\": \"a\"}, \
                    \"spec\": {\"size\": \"x\"}}]";
        let list = "apiVersion: coast.example.com/v1\nkind: LightList\nitems: [{metadata: {name: c}}]\n---\napiVersion: \
                    coast.example.com/v1\nkind: Light\nmetadata: {name: b}\n";
        let result = check(&crd_text(5, ""), &[json, list, ""]);
        assert_eq!(messages(&result), ["a:1 v1,v2 spec.size is a string, not of the type integer"]);
        assert_eq!(result.checked_count(), 3);
    }

    #[test]
    fn unreadable_file_is_reported_with_its_line() {
        let mut set = ResourceSet::default();
        set.add_resource_file("crs.yaml", b"kind: Light\n---\na: [\n");
        assert_eq!(set.objects.len(), 1);
        assert_eq!(set.unread[0].place.as_ref().unwrap().line, 4);
    }
}
