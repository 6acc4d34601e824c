//! Subscriptions and installed bundles as they stand on the command line.

use super::{
    super::failure::{self, Failure},
    catalogs::Named,
};
use crate::{
    catalog::{near, package::Package},
    resolve::{InstalledCsv, Subscription},
};

/// An installed bundle, by its name in one of the catalogs.
pub fn installed(catalogs: &[Named], name: &str) -> Result<InstalledCsv, Failure> {
    let found = catalogs.iter().find_map(|catalog| {
        let index = &catalog.source.index;
        InstalledCsv::of_bundle(index, index.bundle_named(name)?)
    });
    found.ok_or_else(|| {
        let packages = catalogs.iter().flat_map(|catalog| catalog.source.index.packages());
        let names = packages.flat_map(|index| index.package.bundles.iter().map(|b| b.name.value.as_str()));
        Failure::new(format!("no catalog has a bundle {name}"))
            .maybe_hint(near::meant(name, names).map(|meant| format!("did you mean {meant}?")))
    })
}

/// `PACKAGE[:CHANNEL][@CATALOG]`.
pub fn subscription(
    catalogs: &[Named],
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
    let (source, known) = home(catalogs, package, catalog)?;
    let channel = match channel {
        Some(name) if known.channel(name).is_none() => {
            let names = failure::some_of(known.channels.iter().map(|c| c.name.value.as_str()));
            return Err(
                Failure::new(format!("no channel {name} in {package}")).hint(format!("channels: {names}"))
            );
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

/// The catalog that is named, or the first that has the package.
fn home<'a>(
    catalogs: &'a [Named],
    package: &str,
    catalog: Option<&str>,
) -> Result<(&'a Named, &'a Package), Failure> {
    let of = |named: &'a Named| {
        let index = &named.source.index;
        Some((named, index.packages().get(index.place(package)?)?.package.as_ref()))
    };
    let Some(name) = catalog else {
        return catalogs.iter().find_map(of).ok_or_else(|| {
            let packages = catalogs.iter().flat_map(|catalog| catalog.source.index.packages());
            let names: Vec<&str> = packages.map(|index| index.package.name.as_str()).collect();
            let meant = near::meant(package, names.iter().copied());
            Failure::new(format!("no package {package} in the catalogs"))
                .maybe_hint(meant.map(|meant| format!("did you mean {meant}?")))
        });
    };
    let named = catalogs.iter().find(|named| named.name() == name).ok_or_else(|| {
        let names = failure::some_of(catalogs.iter().map(Named::name));
        Failure::new(format!("no catalog is called {name}")).hint(format!("catalogs: {names}"))
    })?;
    of(named).ok_or_else(|| Failure::new(format!("no package {package} in {name}")))
}
