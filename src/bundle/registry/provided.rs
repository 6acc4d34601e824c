//! Provided and required APIs of a bundle.

use std::{collections::BTreeSet, fmt};

use super::{Bundle, BundleFault, CRD_KIND, Csv, Object, csv::DefinitionKey, typed, version_of};
use crate::{bundle::typed::field, catalog::Node};

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
    pub(in crate::bundle) fn provided(&self) -> Result<BTreeSet<Api>, BundleFault> {
        provided(&self.contents.objects, self.csv())
    }

    /// Returns the required CRDs and API services.
    pub(in crate::bundle) fn required(&self) -> Result<BTreeSet<Api>, BundleFault> {
        let [_, crds] = self.csv().definitions("customresourcedefinitions")?;
        let [_, services] = self.csv().definitions("apiservicedefinitions")?;
        let mut required: BTreeSet<Api> = services.into_iter().map(api_of_service).collect();
        for crd in crds {
            required.insert(api_of_name(&crd)?);
        }
        Ok(required)
    }
}

/// Returns every version of every CRD, served or not, and the owned API services.
fn provided(objects: &[Object<'_>], csv: Csv<'_, '_>) -> Result<BTreeSet<Api>, BundleFault> {
    let mut provided = BTreeSet::new();
    for object in objects.iter().filter(|object| object.kind() == CRD_KIND) {
        let api_version = object.text("apiVersion");
        let type_name = match version_of(api_version) {
            "v1" => "CustomResourceDefinition",
            "v1beta1" => "CustomResourceDefinitionV1beta1",
            // Any other version is an ordinary object.
            _ => continue,
        };
        if !api_version.starts_with("apiextensions.k8s.io/") {
            let (file, api_version) = (object.file.path.clone(), api_version.to_owned());
            return Err(BundleFault::CrdVersion { file, api_version });
        }
        typed(object, type_name)?;
        provided.extend(apis_of_crd(&object.document.node));
    }
    let [owned, _] = csv.definitions("apiservicedefinitions")?;
    provided.extend(owned.into_iter().map(api_of_service));
    Ok(provided)
}

/// Checks that a bundle has every CRD that its CSV owns.
pub(super) fn check_owned(objects: &[Object<'_>], csv: Csv<'_, '_>) -> Result<(), BundleFault> {
    let provided = provided(objects, csv)?;
    let [owned, _] = csv.definitions("customresourcedefinitions")?;
    for crd in owned {
        let api = api_of_name(&crd)?;
        if !provided.contains(&api) {
            return Err(BundleFault::MissingCrd(api));
        }
    }
    Ok(())
}

/// Returns the versions of a CRD, including `spec.version` in v1beta1.
fn apis_of_crd(crd: &Node) -> Vec<Api> {
    let Some(spec) = field(crd, "spec") else { return Vec::new() };
    let text = |node: Option<&Node>| node.and_then(Node::as_str).unwrap_or_default().to_owned();
    let names = |key| text(field(spec, "names").and_then(|names| field(names, key)));
    let api = |version: String| Api {
        gvk: Gvk { group: text(field(spec, "group")), kind: names("kind"), version },
        plural: names("plural"),
    };
    let versions = field(spec, "versions").map(Node::items).unwrap_or_default();
    let mut apis: Vec<Api> = versions.iter().map(|version| api(text(field(version, "name")))).collect();
    let is_old =
        field(crd, "apiVersion").and_then(Node::as_str).is_some_and(|api| version_of(api) == "v1beta1");
    if let Some(version) =
        field(spec, "version").and_then(Node::as_str).filter(|text| is_old && !text.is_empty())
    {
        apis.push(api(version.to_owned()));
    }
    apis
}

fn api_of_name(key: &DefinitionKey) -> Result<Api, BundleFault> {
    let (plural, group) =
        key.name.split_once('.').ok_or_else(|| BundleFault::NameWithoutDot(key.name.clone()))?;
    Ok(Api {
        gvk: Gvk { group: group.to_owned(), kind: key.kind.clone(), version: key.version.clone() },
        plural: plural.to_owned(),
    })
}

fn api_of_service(key: DefinitionKey) -> Api {
    Api { gvk: Gvk { group: key.group, kind: key.kind, version: key.version }, plural: key.name }
}
