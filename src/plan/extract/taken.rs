//! What is taken out of a catalog, and what is to be said of it.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{
    cut::Along,
    fault::Fault,
    needs::{self, Missing},
    plan::Plan,
    upgrades::{Changed, Upgrades},
    wish::Wish,
};
use crate::{
    catalog::{BundleName, Catalog, ChannelName, PackageName, near, package::Package},
    edit::{self, Edit},
    resolve::CatalogIndex,
    upgrade::PackageGraph,
    validate::{self, Diagnostic},
};

/// What is asked for besides packages.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The default channel of packages, where it is to be another.
    pub default_channels: BTreeMap<PackageName, ChannelName>,
    /// Whether packages are taken too that bundles require.
    pub with_dependencies: bool,
}

/// What would be taken, quickly worked out: who is upgraded to what, and what is required, is not looked at.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What is taken, by package.
    pub packages: Vec<Taken>,
    /// The edit that leaves it.
    pub edit: Edit,
}

/// A part of a catalog.
#[derive(Clone, Debug)]
pub struct Extract {
    /// What is taken, by package.
    pub packages: Vec<Taken>,
    /// What is required and not taken.
    pub missing: Vec<Missing>,
    /// How many objects come along that name no package.
    pub without_package: usize,
    /// The edit that leaves it.
    pub edit: Edit,
    /// The part, as a catalog.
    pub catalog: Catalog,
}

/// What is taken of a package.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The package.
    pub package: PackageName,
    /// Why it is.
    pub why: Why,
    /// Its default channel.
    pub default_channel: Option<ChannelName>,
    /// What becomes of it.
    pub default: DefaultChannel,
    /// Its channels that are taken.
    pub channels: Vec<TakenChannel>,
    /// How many channels it has in the whole catalog.
    pub of_channels: usize,
    /// How many bundles are taken.
    pub bundles: usize,
    /// How many it has in the whole catalog.
    pub of_bundles: usize,
    /// How many of its objects of other schemas are left out, because they are about what is.
    pub lost_objects: usize,
    /// Whose next upgrade is another one though what it would be is taken too.
    pub changed: Vec<Changed>,
    /// How many versions OLM v1 would upgrade to what is not taken.
    pub cut_v1: usize,
}

/// Why a package is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is asked for.
    Asked,
    /// Bundles of another package require it.
    Required {
        /// That package.
        by: PackageName,
        /// What of it, in words.
        what: String,
    },
}

/// What becomes of the default channel of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultChannel {
    /// It is among what is asked for.
    Asked,
    /// It comes along: opm rejects a package without it.
    Along,
    /// Another one is set.
    Set {
        /// The one in the whole catalog.
        before: Option<ChannelName>,
    },
    /// The package has none that is there, as in the whole catalog.
    Missing,
}

/// What is taken of a channel.
#[derive(Clone, Debug)]
pub struct TakenChannel {
    /// The channel.
    pub name: ChannelName,
    /// Its head; `None` where it has not exactly one.
    pub head: Option<BundleName>,
    /// How many entries are taken.
    pub entries: usize,
    /// How many it has in the whole catalog.
    pub of: usize,
    /// The entries that are not asked for and come along, with why.
    pub along: Vec<(BundleName, Along)>,
    /// Entries with what they replace, which the channel has and which is not taken.
    pub outside: Vec<(BundleName, BundleName)>,
    /// How many versions OLM Classic would upgrade to what is not taken.
    pub cut: usize,
}

/// Why opm rejects a part of a catalog though not for that the whole. A finding that names fewer things than in the whole is
/// the same.
pub fn fresh_rejections(whole: &Catalog, part: &Catalog) -> Vec<String> {
    fn key(finding: &Diagnostic) -> (&str, Option<&PackageName>, Option<&ChannelName>) {
        (finding.rule.id, finding.package.as_ref(), finding.channel.as_ref())
    }
    let found = validate::rejecting(part);
    if found.is_empty() {
        return Vec::new();
    }
    let before = validate::rejecting(whole);
    let known: HashSet<_> = before.iter().map(key).collect();
    found.iter().filter(|finding| !known.contains(&key(finding))).map(|f| f.message.clone()).collect()
}

/// What would be taken by wishes.
///
/// # Errors
///
/// When something is asked for that is not there, or nothing valid can be made of it.
pub fn plan(catalog: &Catalog, wishes: &[Wish], options: &Options) -> Result<Planned, Fault> {
    let plans = plans(catalog, wishes, options)?;
    Ok(Planned { packages: plans.values().map(Plan::taken).collect(), edit: edit_of(&plans) })
}

/// What is taken by wishes.
///
/// # Errors
///
/// When something is asked for that is not there, or nothing valid can be made of it.
pub fn extract(catalog: &Catalog, wishes: &[Wish], options: &Options) -> Result<Extract, Fault> {
    let mut plans = plans(catalog, wishes, options)?;
    let index = Arc::new(CatalogIndex::new(catalog));
    loop {
        let edit = edit_of(&plans);
        let part = edit::apply(catalog, &edit)?;
        let missing = needs::missing(&index, &part);
        if options.with_dependencies && add_required(&mut plans, &missing, catalog) {
            continue;
        }
        let packages = plans.values().map(|plan| compared(plan.taken(), plan.package, &part)).collect();
        return Ok(Extract { packages, missing, without_package: part.others().len(), edit, catalog: part });
    }
}

fn edit_of(plans: &BTreeMap<PackageName, Plan<'_>>) -> Edit {
    Edit::KeepOnly { packages: plans.values().map(Plan::kept).collect() }
}

fn plans<'c>(
    catalog: &'c Catalog,
    wishes: &[Wish],
    options: &Options,
) -> Result<BTreeMap<PackageName, Plan<'c>>, Fault> {
    if catalog.template().is_some() {
        return Err(Fault::Template);
    }
    if wishes.is_empty() {
        return Err(Fault::Nothing);
    }
    let mut plans: BTreeMap<PackageName, Plan<'c>> = BTreeMap::new();
    for wish in wishes {
        let package = find(catalog, &wish.package)?;
        plans.entry(package.name.clone()).or_insert_with(|| Plan::new(package, Why::Asked)).add(wish)?;
    }
    if let Some((nobody, _)) = options.default_channels.iter().find(|(name, _)| !plans.contains_key(*name)) {
        return Err(Fault::DefaultOfNobody(nobody.clone()));
    }
    for (name, plan) in &mut plans {
        plan.settle(options.default_channels.get(name))?;
    }
    Ok(plans)
}

/// The same with what follows for upgrades, once it is made.
fn compared(mut taken: Taken, whole: &Arc<Package>, part: &Catalog) -> Taken {
    let Some(here) = part.package(taken.package.as_str()) else { return taken };
    let mut upgrades = Upgrades::between(&PackageGraph::new(whole), &PackageGraph::new(here));
    for channel in &mut taken.channels {
        channel.cut = upgrades.cut.remove(&Some(channel.name.clone())).unwrap_or(0);
    }
    taken.cut_v1 = upgrades.cut.remove(&None).unwrap_or(0);
    taken.changed = upgrades.changed;
    taken.lost_objects = whole.others.len().saturating_sub(here.others.len());
    taken
}

fn find<'c>(catalog: &'c Catalog, name: &PackageName) -> Result<&'c Arc<Package>, Fault> {
    catalog.package(name.as_str()).filter(|package| !package.name.as_str().is_empty()).ok_or_else(|| {
        let names = catalog.packages().map(|package| package.name.as_str());
        let meant = near::meant(name.as_str(), names).map(str::to_owned);
        Fault::NoPackage { package: name.clone(), meant }
    })
}

/// Takes packages as a whole that are required and not taken yet; whether there are any.
fn add_required<'c>(
    plans: &mut BTreeMap<PackageName, Plan<'c>>,
    missing: &[Missing],
    catalog: &'c Catalog,
) -> bool {
    let mut has_more = false;
    for missing in missing {
        // One of them is enough: the one that OLM would take. What is taken in part already was asked for so.
        let Some(provider) = missing.providers.first() else { continue };
        if missing.providers.iter().any(|provider| plans.contains_key(provider)) {
            continue;
        }
        let Some(package) = catalog.package(provider.as_str()) else { continue };
        let why = Why::Required { by: missing.package.clone(), what: missing.what.clone() };
        plans.insert(provider.clone(), Plan::required(package, why));
        has_more = true;
    }
    has_more
}
