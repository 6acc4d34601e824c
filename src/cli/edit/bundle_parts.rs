//! `olmap edit set-property`, `remove-property`, `set-related-image` and `remove-related-image`: edits of all bundles that
//! match a criterion.

use std::collections::HashSet;

use olm_catalog::{BundleName, Catalog, blob::BundleBlob, package::Package};
use olm_edit::{BundleChange, Edit};
use olm_upgrade::Installed;
use olm_version::masterminds::Constraint;
use olmap_report::console_filter::{ConsoleFilter, MatchingBundles};

use super::{BuiltEdit, Message, shared_args::Where};
use crate::cli::{Failure, query, source};

/// Criterion of the bundles to edit.
#[derive(Debug, clap::Args)]
#[group(id = "criterion", required = true, multiple = true)]
pub struct BundleCriterion {
    /// Bundles that consoles find by a field of the ClusterServiceVersion, as in olmap list. Can be
    /// repeated: any value of a key, and all keys.
    #[arg(long = "where", value_name = "KEY=VALUE")]
    filters: Vec<ConsoleFilter>,
    /// Bundle: its name, or its version if only one bundle has it. Can be repeated.
    #[arg(long = "bundle", value_name = "NAME")]
    bundles: Vec<String>,
    /// Bundles in this channel. Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    channels: Vec<String>,
    /// Bundles with a version in this range, in the syntax of OLM v1; * for all.
    #[arg(long, value_name = "RANGE")]
    versions: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct SetProperty {
    /// Type of the property.
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Value: JSON if it begins with {, [ or ", or is true, false or null; otherwise a string.
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Add the property beside others of its type.
    #[arg(long)]
    add: bool,
    #[command(flatten)]
    criterion: BundleCriterion,
    #[command(flatten)]
    pub where_: Where,
}

#[derive(Debug, clap::Args)]
pub struct RemoveProperty {
    /// Type of the properties.
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Only properties with this value, in the form of set-property.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
    #[command(flatten)]
    criterion: BundleCriterion,
    #[command(flatten)]
    pub where_: Where,
}

#[derive(Debug, clap::Args)]
pub struct SetRelatedImage {
    /// Name of the related image.
    name: String,
    /// Image reference.
    image: String,
    #[command(flatten)]
    criterion: BundleCriterion,
    #[command(flatten)]
    pub where_: Where,
}

#[derive(Debug, clap::Args)]
pub struct RemoveRelatedImage {
    /// Name of the related image.
    name: String,
    #[command(flatten)]
    criterion: BundleCriterion,
    #[command(flatten)]
    pub where_: Where,
}

impl SetProperty {
    /// Returns the edit of a catalog.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let (kind, value) = (self.kind.clone(), parse_property_value(&self.value)?);
        let change = if self.add {
            BundleChange::AddProperty { kind, value }
        } else {
            BundleChange::SetProperty { kind, value }
        };
        self.criterion.edit_matching_bundles(catalog, &self.where_, &change)
    }
}

impl RemoveProperty {
    /// Returns the edit of a catalog.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let value = self.value.as_deref().map(parse_property_value).transpose()?;
        let change = BundleChange::RemoveProperty { kind: self.kind.clone(), value };
        self.criterion.edit_matching_bundles(catalog, &self.where_, &change)
    }
}

impl SetRelatedImage {
    /// Returns the edit of a catalog.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let change = BundleChange::SetRelatedImage { name: self.name.clone(), image: self.image.clone() };
        self.criterion.edit_matching_bundles(catalog, &self.where_, &change)
    }
}

impl RemoveRelatedImage {
    /// Returns the edit of a catalog.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<BuiltEdit, Failure> {
        let change = BundleChange::RemoveRelatedImage { name: self.name.clone() };
        self.criterion.edit_matching_bundles(catalog, &self.where_, &change)
    }
}

impl BundleCriterion {
    /// Returns the edit of the matching bundles of all packages, or of the given one.
    fn edit_matching_bundles(
        &self,
        catalog: &Catalog,
        place: &Where,
        change: &BundleChange,
    ) -> Result<BuiltEdit, Failure> {
        let packages: Vec<&Package> = match &place.package {
            Some(name) => vec![source::select_package(catalog, Some(name))?],
            None => source::named_packages(catalog).map(AsRef::as_ref).collect(),
        };
        let (bundles, without_fields) = self.select_bundles(catalog, &packages)?;
        let edits = packages.iter().filter_map(|package| {
            let own = bundles.iter().filter(|bundle| bundle.package.value == package.name);
            let names: Vec<BundleName> = own.map(|bundle| bundle.name.value.clone()).collect();
            (!names.is_empty()).then(|| Edit::Bundles {
                package: package.name.clone(),
                bundles: names,
                change: change.clone(),
            })
        });
        let all: Vec<Edit> = edits.collect();
        let needed: Vec<Edit> = all.iter().filter(|edit| needs_change(catalog, edit)).cloned().collect();
        // If no package has the part, the edit says so.
        let edits = if needed.is_empty() { all } else { needed };
        let unsearched = (without_fields > 0).then(|| {
            let s = if without_fields == 1 { "" } else { "s" };
            format!("--where cannot find {without_fields} bundle{s} without a ClusterServiceVersion in the catalog")
        });
        let edit = match <[Edit; 1]>::try_from(edits) {
            Ok([only]) => only,
            Err(edits) if edits.is_empty() && bundles.is_empty() => {
                let hint = unsearched.unwrap_or_else(|| "olmap list bundles shows the bundles".to_owned());
                return Err(Failure::new("no bundle matches").with_hint(hint));
            }
            Err(edits) => {
                let count = bundles.len();
                let bundles = format!("{count} bundle{}", if count == 1 { "" } else { "s" });
                Edit::Several { title: change.title(&bundles), edits }
            }
        };
        Ok(BuiltEdit {
            edit,
            placed: Vec::new(),
            messages: unsearched.map(Message::note).into_iter().collect(),
        })
    }

    /// Returns the matching bundles, and the number of bundles that filters cannot find.
    fn select_bundles<'a>(
        &self,
        catalog: &'a Catalog,
        packages: &[&'a Package],
    ) -> Result<(Vec<&'a BundleBlob>, usize), Failure> {
        let versions = self.versions.as_deref().map(|range| {
            Constraint::parse(range).map_err(|error| Failure::new(format!("--versions {range}: {error}")))
        });
        let versions = versions.transpose()?;
        let named = self.named_bundles(packages)?;
        self.check_channels(packages)?;
        let is_selected = |package: &Package, bundle: &BundleBlob| {
            let name = &bundle.name.value;
            let version = bundle.version.as_ref().map(|version| &version.version);
            (self.bundles.is_empty() || named.contains(name))
                && (self.channels.is_empty()
                    || package
                        .channels_with(name)
                        .any(|channel| self.channels.iter().any(|c| channel.name.value == **c)))
                && versions.as_ref().is_none_or(|range| version.is_some_and(|version| range.matches(version)))
        };
        let bundles = packages.iter().flat_map(|package| {
            let own = package.bundles.iter().map(|bundle| &**bundle);
            own.filter(|bundle| is_selected(package, bundle))
        });
        let mut bundles: Vec<&BundleBlob> = bundles.collect();
        if self.filters.is_empty() {
            return Ok((bundles, 0));
        }
        let matching = MatchingBundles::from_bundles(catalog, &bundles, &self.filters);
        bundles.retain(|bundle| matching.contains(bundle));
        Ok((bundles, matching.without_fields))
    }

    /// Returns the names of the given bundles. Each must exist in one of the packages.
    fn named_bundles(&self, packages: &[&Package]) -> Result<HashSet<BundleName>, Failure> {
        let mut names = HashSet::new();
        for text in &self.bundles {
            let known = packages.iter().filter_map(|package| {
                let name = Installed::parse(package, text).ok()?.name;
                package.bundle(name.as_str()).map(|_| name)
            });
            let before = names.len();
            names.extend(known);
            let has_it = |package: &&&Package| package.bundle(text).is_some();
            if names.len() == before && !packages.iter().any(|package| has_it(&package)) {
                let only = packages.first().filter(|_| packages.len() == 1);
                return Err(match only.map(|package| (package, Installed::parse(package, text))) {
                    Some((package, Err(unknown))) => query::unknown_bundle_failure(&unknown, package, ""),
                    _ => Failure::new(format!("no package has a bundle {text}")),
                });
            }
        }
        Ok(names)
    }

    /// Refuses a channel that none of the packages has.
    fn check_channels(&self, packages: &[&Package]) -> Result<(), Failure> {
        let has = |name: &str| packages.iter().any(|package| package.channel(name).is_some());
        match (self.channels.iter().find(|name| !has(name)), packages) {
            (None, _) => Ok(()),
            (Some(name), [only]) => Err(source::no_channel_failure(only, name)),
            (Some(name), _) => Err(Failure::new(format!("no package has a channel {name}"))),
        }
    }
}

/// Returns false for a removal from a package whose matching bundles do not have the part, if other packages may have it.
fn needs_change(catalog: &Catalog, edit: &Edit) -> bool {
    let Edit::Bundles { change, .. } = edit else { return true };
    let removes =
        matches!(change, BundleChange::RemoveProperty { .. } | BundleChange::RemoveRelatedImage { .. });
    !removes || olm_edit::apply_edit(catalog, edit).is_ok()
}

/// Parses the value of a property. A number stays text, because `4.20` is a string in catalogs.
fn parse_property_value(text: &str) -> Result<serde_json::Value, Failure> {
    let is_json = text.starts_with(['{', '[', '"']) || matches!(text, "true" | "false" | "null");
    if !is_json {
        return Ok(text.into());
    }
    serde_json::from_str(text).map_err(|error| Failure::new(format!("the value is not JSON: {error}")))
}
