//! Changes of stuck versions: those that are newly stuck, and those that are no longer stuck.

use std::collections::{BTreeSet, HashSet};

use super::{PackageState, diff::compare_newest_first};
use olm_catalog::{BundleName, PackageName, package::Package};
use olm_upgrade::{
    Engine, Installed,
    stuck::{StuckEnd, StuckEnds, StuckReport, StuckVersions},
};

/// Number of stuck versions on each engine.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StuckCounts {
    /// Number on OLM Classic.
    pub classic: usize,
    /// Number on OLM v1.
    pub v1: usize,
}

impl StuckCounts {
    /// Counts the stuck versions of a package; `None` if they are unknown.
    pub fn count_stuck(stuck: &StuckReport) -> Option<Self> {
        let answer = stuck.answer.as_ref()?;
        Some(Self { classic: answer.classic.len(), v1: answer.v1.len() })
    }

    /// Increments the number for an engine.
    fn add_engine(&mut self, engine: Engine) {
        match engine {
            Engine::Classic => self.classic += 1,
            Engine::V1 => self.v1 += 1,
        }
    }

    /// Returns true if both numbers are zero.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

impl std::ops::AddAssign for StuckCounts {
    fn add_assign(&mut self, other: Self) {
        self.classic += other.classic;
        self.v1 += other.v1;
    }
}

impl FromIterator<Engine> for StuckCounts {
    fn from_iter<I: IntoIterator<Item = Engine>>(engines: I) -> Self {
        let mut counts = Self::default();
        engines.into_iter().for_each(|engine| counts.add_engine(engine));
        counts
    }
}

/// Stuck versions of a package on one side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StuckState {
    /// The package does not exist.
    Absent,
    /// The stuck versions are unknown, because the default channel does not have a single head with
    /// a bundle.
    Unknown,
    /// Numbers of stuck versions.
    Known(StuckCounts),
}

impl StuckState {
    /// Returns the state of a package.
    pub fn from_package_state(judged: Option<&PackageState>) -> Self {
        let Some(judged) = judged else { return Self::Absent };
        StuckCounts::count_stuck(judged.graph.stuck()).map_or(Self::Unknown, Self::Known)
    }

    /// Returns the numbers; zero if they are unknown or the package does not exist.
    pub fn counts(self) -> StuckCounts {
        match self {
            Self::Known(counts) => counts,
            Self::Absent | Self::Unknown => StuckCounts::default(),
        }
    }
}

/// Numbers of stuck versions of a package before and after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckTotals {
    /// Name of the package.
    pub package: PackageName,
    /// Old state.
    pub before: StuckState,
    /// New state.
    pub after: StuckState,
}

/// Relation of a newly stuck version to the two catalogs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Publication {
    /// Both catalogs publish it.
    Kept,
    /// Only the new catalog publishes it.
    Added,
    /// Only the old catalog publishes it. Clusters keep it installed.
    Removed,
}

/// Version that is newly stuck after a change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NewlyStuck {
    /// Engine on which it is stuck.
    pub engine: Engine,
    /// Name of the version.
    pub version: BundleName,
    /// End of its upgrades, with the reason.
    pub end: StuckEnd,
    /// Catalogs that publish it.
    pub publication: Publication,
}

/// Published version that is no longer stuck after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreedVersion {
    /// Engine on which it was stuck.
    pub engine: Engine,
    /// Name of the version.
    pub version: BundleName,
    /// True if it reaches the current version only by a channel change. Always false on OLM v1.
    pub needs_channel_change: bool,
}

/// Changes of the stuck versions of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckChange {
    /// Old and new state of the package.
    pub totals: StuckTotals,
    /// Newly stuck versions: by engine, newest first. Empty if the old or new state is unknown.
    pub newly_stuck: Vec<NewlyStuck>,
    /// Published versions that are no longer stuck: by engine, newest first. Does not include
    /// versions that are no longer published.
    pub freed: Vec<FreedVersion>,
    /// Published versions that were not stuck and newly need a channel change to reach the current
    /// version on OLM Classic, newest first.
    pub needs_channel_change: Vec<BundleName>,
    /// Engines and names in `newly_stuck`, for lookups.
    newly_names: HashSet<(Engine, BundleName)>,
    /// Engines and names in `freed`, for lookups.
    freed_names: HashSet<(Engine, BundleName)>,
}

impl StuckChange {
    /// Compares two states of a package; `None` if its stuck versions do not change.
    pub fn compare_states(
        name: &PackageName,
        old: Option<&PackageState>,
        new: Option<&PackageState>,
    ) -> Option<Self> {
        let totals = StuckTotals {
            package: name.clone(),
            before: StuckState::from_package_state(old),
            after: StuckState::from_package_state(new),
        };
        let mut change = Self {
            totals,
            newly_stuck: Vec::new(),
            freed: Vec::new(),
            needs_channel_change: Vec::new(),
            newly_names: HashSet::new(),
            freed_names: HashSet::new(),
        };
        if let (Some(old), Some(new)) = (old, new) {
            change.find_changes(old, new);
        }
        change.has_changes().then_some(change)
    }

    /// Fills the lists; leaves them empty if the old or new state is unknown.
    fn find_changes(&mut self, old: &PackageState, new: &PackageState) {
        let (Some(before), Some(ends)) = (&old.graph.stuck().answer, StuckEnds::new(&new.graph)) else {
            return;
        };
        let Some(after) = &new.graph.stuck().answer else { return };
        let publishes =
            |judged: &PackageState, name: &BundleName| judged.package().bundle(name.as_str()).is_some();
        for engine in [Engine::Classic, Engine::V1] {
            let is_stuck = |answer: &StuckVersions, name: &BundleName| {
                answer.on_engine(engine).binary_search(name).is_ok()
            };
            for version in after.on_engine(engine).iter().filter(|name| !is_stuck(before, name)) {
                let publication =
                    if publishes(old, version) { Publication::Kept } else { Publication::Added };
                if let Some(end) = ends.of_published(engine, version) {
                    self.newly_stuck.push(NewlyStuck { engine, version: version.clone(), end, publication });
                }
            }
            let freed =
                before.on_engine(engine).iter().filter(|name| !is_stuck(after, name) && publishes(new, name));
            // A Subscription keeps its channel, so channels that have the version only now do not count.
            let needs_change = |name: &BundleName| {
                let mut channels =
                    old.package().channels_with(name).map(|channel| &channel.name.value).peekable();
                after.needs_channel_change.binary_search(name).is_ok()
                    || channels.peek().is_some()
                        && !channels.any(|channel| new.graph.arrives_in_channel(channel, name))
            };
            self.freed.extend(freed.map(|name| FreedVersion {
                engine,
                version: name.clone(),
                needs_channel_change: engine == Engine::Classic && needs_change(name),
            }));
        }
        let removed: BTreeSet<&BundleName> = old.package().bundles.iter().map(|b| &b.name.value).collect();
        for name in removed.into_iter().filter(|name| !publishes(new, name)) {
            let installed = Installed::from_package(old.package(), name);
            for engine in [Engine::Classic, Engine::V1] {
                let was_stuck = before.on_engine(engine).binary_search(name).is_ok();
                if let Some(end) = ends.of_installed(engine, &installed).filter(|_| !was_stuck) {
                    let (version, publication) = (name.clone(), Publication::Removed);
                    self.newly_stuck.push(NewlyStuck { engine, version, end, publication });
                }
            }
        }
        let changed_before: HashSet<&BundleName> = before.needs_channel_change.iter().collect();
        let is_new = |name: &&BundleName| {
            let was_stuck = before.classic.binary_search(name).is_ok();
            publishes(old, name) && !was_stuck && !changed_before.contains(name)
        };
        self.needs_channel_change = after.needs_channel_change.iter().filter(is_new).cloned().collect();
        self.sort_rows(old.package(), new.package());
    }

    /// Sorts the lists and fills the sets for lookups.
    fn sort_rows(&mut self, old: &Package, new: &Package) {
        let order =
            |a: &BundleName, b: &BundleName| compare_newest_first(a, b, (old, new)).then_with(|| a.cmp(b));
        self.newly_stuck.sort_by(|a, b| a.engine.cmp(&b.engine).then_with(|| order(&a.version, &b.version)));
        self.freed.sort_by(|a, b| a.engine.cmp(&b.engine).then_with(|| order(&a.version, &b.version)));
        self.needs_channel_change.sort_by(order);
        self.newly_names = self.newly_stuck.iter().map(|row| (row.engine, row.version.clone())).collect();
        self.freed_names = self.freed.iter().map(|row| (row.engine, row.version.clone())).collect();
    }

    fn has_changes(&self) -> bool {
        let is_new = self.totals.before == StuckState::Absent && !self.totals.after.counts().is_zero();
        let is_known = |state: StuckState| matches!(state, StuckState::Known(_));
        is_new
            || self.becomes_unknown()
            || (self.totals.before == StuckState::Unknown && is_known(self.totals.after))
            || !self.newly_stuck.is_empty()
            || !self.freed.is_empty()
            || !self.needs_channel_change.is_empty()
    }

    /// Returns the name of the package.
    pub fn package_name(&self) -> &PackageName {
        &self.totals.package
    }

    /// Returns true if the stuck versions were known and are now unknown.
    pub fn becomes_unknown(&self) -> bool {
        matches!(self.totals.before, StuckState::Known(_)) && self.totals.after == StuckState::Unknown
    }

    /// Returns true if a version is newly stuck on an engine.
    pub fn is_newly_stuck(&self, engine: Engine, version: &BundleName) -> bool {
        self.newly_names.contains(&(engine, version.clone()))
    }

    /// Returns true if a version is freed on an engine.
    pub fn is_freed(&self, engine: Engine, version: &BundleName) -> bool {
        self.freed_names.contains(&(engine, version.clone()))
    }

    /// Returns the number of newly stuck versions per engine that the catalog has.
    pub fn count_newly_stuck(&self) -> StuckCounts {
        let rows = self.newly_stuck.iter().filter(|row| row.publication != Publication::Removed);
        rows.map(|row| row.engine).collect()
    }

    /// Returns the number of newly stuck versions per engine that the catalog no longer has.
    pub fn count_removed(&self) -> StuckCounts {
        let rows = self.newly_stuck.iter().filter(|row| row.publication == Publication::Removed);
        rows.map(|row| row.engine).collect()
    }

    /// Returns the number of freed versions per engine.
    pub fn count_freed(&self) -> StuckCounts {
        self.freed.iter().map(|row| row.engine).collect()
    }

    /// Returns the number of freed versions that need a channel change on OLM Classic.
    pub fn count_freed_by_channel_change(&self) -> usize {
        self.freed.iter().filter(|row| row.needs_channel_change).count()
    }

    /// Returns the number of published versions per engine that were and still are stuck.
    pub fn count_staying(&self) -> StuckCounts {
        let (StuckState::Known(_), StuckState::Known(after)) = (self.totals.before, self.totals.after) else {
            return StuckCounts::default();
        };
        let published = self.newly_stuck.iter().filter(|row| row.publication != Publication::Removed);
        let newly: StuckCounts = published.map(|row| row.engine).collect();
        StuckCounts {
            classic: after.classic.saturating_sub(newly.classic),
            v1: after.v1.saturating_sub(newly.v1),
        }
    }
}
