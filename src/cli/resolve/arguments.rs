//! Subscriptions and installed bundles from the command line.

use super::{
    super::failure::{self, Failure},
    catalogs::NamedCatalog,
};
use std::sync::Arc;

use olm_catalog::{PackageName, blob::BundleBlob, package::Package, similar_names};
use olm_upgrade::resolve::{InstalledCsv, Subscription, index::PackageIndex};
use olm_version::Version;

/// Parses an installed bundle: its name in a catalog, `PACKAGE@VERSION`, or `NAME@VERSION` for a bundle that
/// left the catalogs. The name of such a bundle begins with its package, and nothing else is known about it.
pub fn parse_installed_csv(catalogs: &[NamedCatalog], text: &str) -> Result<InstalledCsv, Failure> {
    let named = |name: &str| {
        catalogs.iter().find_map(|catalog| {
            let index = &catalog.source.index;
            InstalledCsv::from_bundle(index, index.find_bundle(name)?)
        })
    };
    if let Some(known) = named(text) {
        return Ok(known);
    }
    let Some((name, given)) = text.rsplit_once('@') else {
        let names = all_packages(catalogs)
            .flat_map(|index| index.package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
        return Err(Failure::new(format!("no catalog has a bundle {text}")).with_hint(
            similar_names::suggest_closest(text, names).map_or_else(
                || "a bundle that is in no catalog any more needs its version: NAME@1.2.3".to_owned(),
                |meant| format!("did you mean {meant}?"),
            ),
        ));
    };
    let version = Version::parse(given)
        .map_err(|error| Failure::new(format!("{text}: not a version after the @: {error}")))?;
    let known = named(name).or_else(|| {
        let mut packages = all_packages(catalogs).filter(|index| index.package.name == *name);
        let has_it = |bundle: &&Arc<BundleBlob>| {
            bundle.version.as_ref().is_some_and(|v| v.to_string() == given || v.version == version)
        };
        named(packages.find_map(|index| index.package.bundles.iter().find(has_it))?.name.value.as_str())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    if all_packages(catalogs).any(|index| index.package.name == *name) {
        return Err(Failure::new(format!("package {name} has no bundle of version {given}")).with_hint(
            format!("one that is in no catalog any more needs its name: {name}.v{given}@{given}"),
        ));
    }
    // Uses the longest package name that is a prefix.
    let begins = |package: &&PackageName| {
        name.strip_prefix(package.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']))
    };
    let packages = all_packages(catalogs).map(|index| &index.package.name).filter(begins);
    let package = packages.max_by_key(|package| package.as_str().len()).ok_or_else(|| {
        Failure::new(format!("no catalog has a bundle {name}, or a package that its name begins with"))
    })?;
    Ok(InstalledCsv::from_package(name.into(), Some(version), package))
}

fn all_packages(catalogs: &[NamedCatalog]) -> impl Iterator<Item = &Arc<PackageIndex>> {
    catalogs.iter().flat_map(|catalog| catalog.source.index.packages())
}

/// Parses `PACKAGE[:CHANNEL][@CATALOG]`.
pub fn parse_subscription(
    catalogs: &[NamedCatalog],
    text: &str,
    installed: &[InstalledCsv],
) -> Result<Subscription, Failure> {
    let (rest, catalog) = match text.rsplit_once('@') {
        Some((rest, catalog)) => (rest, Some(catalog)),
        None => (text, None),
    };
    let (package, channel) = match rest.split_once(':') {
        Some((package, channel)) => (package, Some(channel)),
        None => (rest, None),
    };
    let (source, known) = locate_package(catalogs, package, catalog)?;
    let channel = match channel {
        Some(name) if known.channel(name).is_none() => {
            let names = failure::join_names(known.channels.iter().map(|c| c.name.value.as_str()));
            return Err(Failure::new(format!("no channel {name} in {package}"))
                .with_hint(format!("channels: {names}")));
        }
        Some(name) => Some(name.into()),
        None => known.default_channel().cloned(),
    };
    let own = installed.iter().find(|csv| csv.facts.package() == package);
    Ok(Subscription {
        name: package.to_owned(),
        package: package.into(),
        channel,
        catalog: source.source.key.clone(),
        starting_csv: None,
        installed: own.map(|csv| csv.name.clone()),
    })
}

/// Returns the named catalog, or the first one that contains the package.
fn locate_package<'a>(
    catalogs: &'a [NamedCatalog],
    package: &str,
    catalog: Option<&str>,
) -> Result<(&'a NamedCatalog, &'a Package), Failure> {
    let of = |named: &'a NamedCatalog| {
        let index = &named.source.index;
        Some((named, index.packages().get(index.package_position(package)?)?.package.as_ref()))
    };
    let Some(name) = catalog else {
        return catalogs.iter().find_map(of).ok_or_else(|| {
            let packages = catalogs.iter().flat_map(|catalog| catalog.source.index.packages());
            let names: Vec<&str> = packages.map(|index| index.package.name.as_str()).collect();
            let meant = similar_names::suggest_closest(package, names.iter().copied());
            Failure::new(format!("no package {package} in the catalogs"))
                .with_optional_hint(meant.map(|meant| format!("did you mean {meant}?")))
        });
    };
    let named = catalogs.iter().find(|named| named.name() == name).ok_or_else(|| {
        let names = failure::join_names(catalogs.iter().map(NamedCatalog::name));
        Failure::new(format!("no catalog is called {name}")).with_hint(format!("catalogs: {names}"))
    })?;
    of(named).ok_or_else(|| Failure::new(format!("no package {package} in {name}")))
}
