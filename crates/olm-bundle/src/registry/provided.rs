//! Provided and required APIs of a bundle.

use std::{collections::BTreeSet, fmt};

use super::{
    Bundle, BundleError, CRD_KIND, Csv, DefinitionKey, Object, api_version_suffix, check_object_type,
};
use crate::typed::find_field;
use olm_catalog::Node;

/// An API with the plural of its resources.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Api {
    /// Group, version and kind.
    pub gvk: Gvk,
    /// Plural, such as `memos` for the kind `Memo`.
    pub plural: String,
}

/// Group, version and kind of an API.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Gvk {
    /// Group of the API.
    pub group: String,
    /// Kind of the API.
    pub kind: String,
    /// Version of the API.
    pub version: String,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.gvk, self.plural)
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.group, self.version, self.kind)
    }
}

impl Bundle<'_> {
    /// Returns every version of every CRD, served or not, and the owned API services.
    pub(crate) fn provided_apis(&self) -> Result<BTreeSet<Api>, BundleError> {
        collect_provided_apis(&self.contents.objects, self.csv())
    }

    /// Returns the required CRDs and API services.
    pub(crate) fn required_apis(&self) -> Result<BTreeSet<Api>, BundleError> {
        let [_, crds] = self.csv().definitions("customresourcedefinitions")?;
        let [_, services] = self.csv().definitions("apiservicedefinitions")?;
        let mut required: BTreeSet<Api> = services.into_iter().map(service_api).collect();
        for crd in crds {
            required.insert(crd_api_from_key(&crd)?);
        }
        Ok(required)
    }
}

/// Returns every version of every CRD, served or not, and the owned API services.
fn collect_provided_apis(objects: &[Object<'_>], csv: Csv<'_, '_>) -> Result<BTreeSet<Api>, BundleError> {
    let mut provided = BTreeSet::new();
    for object in objects.iter().filter(|object| object.kind() == CRD_KIND) {
        let api_version = object.string_field("apiVersion");
        let type_name = match api_version_suffix(api_version) {
            "v1" => "CustomResourceDefinition",
            "v1beta1" => "CustomResourceDefinitionV1beta1",
            // Any other version is an ordinary object.
            _ => continue,
        };
        if !api_version.starts_with("apiextensions.k8s.io/") {
            let (file, api_version) = (object.file.path.clone(), api_version.to_owned());
            return Err(BundleError::CrdVersion { file, api_version });
        }
        check_object_type(object, type_name)?;
        provided.extend(crd_apis(&object.document.node));
    }
    let [owned, _] = csv.definitions("apiservicedefinitions")?;
    provided.extend(owned.into_iter().map(service_api));
    Ok(provided)
}

/// Checks that a bundle has every CRD that its CSV owns.
pub(super) fn check_owned_crds(objects: &[Object<'_>], csv: Csv<'_, '_>) -> Result<(), BundleError> {
    let provided = collect_provided_apis(objects, csv)?;
    let [owned, _] = csv.definitions("customresourcedefinitions")?;
    for crd in owned {
        let api = crd_api_from_key(&crd)?;
        if !provided.contains(&api) {
            return Err(BundleError::MissingCrd(api));
        }
    }
    Ok(())
}

/// Returns the versions of a CRD, including `spec.version` in v1beta1.
fn crd_apis(crd: &Node) -> Vec<Api> {
    let Some(spec) = find_field(crd, "spec") else { return Vec::new() };
    let text = |node: Option<&Node>| node.and_then(Node::as_str).unwrap_or_default().to_owned();
    let names = |key| text(find_field(spec, "names").and_then(|names| find_field(names, key)));
    let api = |version: String| Api {
        gvk: Gvk { group: text(find_field(spec, "group")), kind: names("kind"), version },
        plural: names("plural"),
    };
    let versions = find_field(spec, "versions").map(Node::items).unwrap_or_default();
    let mut apis: Vec<Api> = versions.iter().map(|version| api(text(find_field(version, "name")))).collect();
    let is_old = find_field(crd, "apiVersion")
        .and_then(Node::as_str)
        .is_some_and(|api| api_version_suffix(api) == "v1beta1");
    if let Some(version) =
        find_field(spec, "version").and_then(Node::as_str).filter(|text| is_old && !text.is_empty())
    {
        apis.push(api(version.to_owned()));
    }
    apis
}

fn crd_api_from_key(key: &DefinitionKey) -> Result<Api, BundleError> {
    let (plural, group) =
        key.name.split_once('.').ok_or_else(|| BundleError::NameWithoutDot(key.name.clone()))?;
    Ok(Api {
        gvk: Gvk { group: group.to_owned(), kind: key.kind.clone(), version: key.version.clone() },
        plural: plural.to_owned(),
    })
}

fn service_api(key: DefinitionKey) -> Api {
    Api { gvk: Gvk { group: key.group, kind: key.kind, version: key.version }, plural: key.name }
}
