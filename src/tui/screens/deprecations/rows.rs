//! Rows and details of the Deprecations screen.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use crate::tui::{
    parts::{
        list::{ListId, ListOrder, passes_filter},
        memo::{Memo, SharedRef},
    },
    session::context::ViewContext,
};
use olm_catalog::{
    PackageName,
    blob::DeprecationTarget,
    file::Location,
    lifecycle::{Date, Lifecycle, VersionSupport},
};
use olm_check::review::{
    PackageState, Snapshot,
    deprecations::{
        DeprecationChange, DeprecationEffects, DeprecationReport, DeprecationVerdict, Suggestion,
        list_deprecations, relate_to_effects, suggest_deprecations,
    },
    diff::ChangeKind,
};
use olm_upgrade::v1::Query;
use olmap_report::deprecations::{
    DeprecationSentence, describe_classic_output, describe_deprecation, describe_v1_conditions,
};

/// Row of the Deprecations screen.
#[derive(Clone, Debug)]
pub struct DeprecationRow {
    /// The package.
    pub package: PackageName,
    /// The deprecation or suggestion.
    pub content: RowContent,
    /// Location in the catalog. `None` for a suggestion.
    pub location: Option<Location>,
    /// Overall result of a deprecation.
    pub verdict: Option<DeprecationVerdict>,
    /// Relation to the change that marks show. `None` if nothing is compared.
    pub change: Option<DeprecationChange>,
}

/// Details of the selected row.
#[derive(Clone, Debug, Default)]
pub struct RowDetails {
    /// Effects on installed versions, worst first.
    pub sentences: Vec<DeprecationSentence>,
    /// Conditions of Subscriptions, and warnings of consoles.
    pub classic_output: Option<String>,
    /// Conditions that v1 reports on a cluster, for the query of the Upgrades screen.
    pub v1_output: Option<String>,
    /// Lifecycle of the bundle, or of the head of the channel.
    pub lifecycle: Option<VersionSupport>,
}

/// Content of a row.
#[derive(Clone, Debug)]
pub enum RowContent {
    /// An existing deprecation.
    Deprecated(Arc<DeprecationReport>),
    /// A suggested deprecation.
    Suggested(Arc<Suggestion>),
}

impl DeprecationRow {
    /// Returns the target, if it is valid. For a suggestion, returns the first target.
    pub fn target(&self) -> Option<&DeprecationTarget> {
        match &self.content {
            RowContent::Deprecated(one) => one.target.as_ref(),
            RowContent::Suggested(suggestion) => suggestion.targets.first(),
        }
    }

    /// Returns the deprecation. `None` for a suggestion.
    pub fn report(&self) -> Option<&DeprecationReport> {
        match &self.content {
            RowContent::Deprecated(one) => Some(one),
            RowContent::Suggested(_) => None,
        }
    }

    /// Returns the number of installed versions that the deprecation strands or blocks under v1.
    pub fn blocked_count(&self) -> usize {
        self.report().map_or(0, |one| one.stranded().count() + one.stopped.len())
    }

    /// Returns the mark of a deprecation that is new, or that removes an upgrade path from its
    /// users.
    pub fn change_mark(&self) -> Option<ChangeKind> {
        let change = self.change?;
        match (change.is_new, change.is_concerned) {
            (true, _) => Some(ChangeKind::Added),
            (false, true) => Some(ChangeKind::Changed),
            (false, false) => None,
        }
    }

    /// Returns the number of affected installed versions.
    pub fn affected_count(&self) -> usize {
        self.report().map_or(0, |one| one.concerned.len())
    }

    fn passes_filter(&self, filter: &str) -> bool {
        let words = match &self.content {
            RowContent::Deprecated(one) => format!("{} {}", one.reference, one.message),
            RowContent::Suggested(suggestion) => {
                let reason = suggestion.describe_reason(ToString::to_string);
                let names = suggestion.targets.iter().map(|target| match target {
                    DeprecationTarget::Package => "",
                    DeprecationTarget::Channel(name) => name.as_str(),
                    DeprecationTarget::Bundle(name) => name.as_str(),
                });
                format!("suggested {reason} {}", names.collect::<Vec<_>>().join(" "))
            }
        };
        passes_filter(filter, &format!("{} {words}", self.package))
    }
}

/// Deprecations and suggestions of a package.
#[derive(Clone, Debug)]
struct PackageDeprecations {
    package_state: Arc<PackageState>,
    deprecated: Vec<(Arc<DeprecationReport>, DeprecationVerdict)>,
    suggested: Vec<Arc<Suggestion>>,
}

type RowsKey = (SharedRef<Snapshot>, SharedRef<Snapshot>, String, Option<ListOrder>, Option<Date>);

/// Rows of the Deprecations screen, with the details of the selected row.
#[derive(Debug, Default)]
pub(super) struct DeprecationList {
    /// Cached by package, because an edit changes only one.
    packages: HashMap<PackageName, PackageDeprecations>,
    date: Option<Date>,
    rows: Memo<RowsKey, Vec<DeprecationRow>>,
    details: Memo<(RowsKey, usize, Query), RowDetails>,
}

impl DeprecationList {
    /// Returns the deprecations that pass the filter, followed by suggestions.
    pub(super) fn rows(&self) -> &[DeprecationRow] {
        &self.rows.value
    }

    /// Returns the details of the selected row.
    pub(super) fn selected_details(&self) -> &RowDetails {
        &self.details.value
    }

    /// Limits the index of a selected row to the current length. `None` if there are no rows.
    pub(super) fn clamp_index(&self, row: usize) -> Option<usize> {
        Some(row.min(self.rows().len().checked_sub(1)?))
    }

    /// Updates rows and details.
    pub(super) fn update(&mut self, view_cx: &ViewContext<'_>, selected: usize) {
        let snapshot = view_cx.session.snapshot();
        let today = view_cx.settings.today;
        let filter = view_cx.session.lists.filter(ListId::Deprecations);
        let order = view_cx.session.lists.order_of(ListId::Deprecations);
        let before = view_cx.session.catalogs.mark_base();
        let key = || {
            (
                SharedRef::from_shared(snapshot),
                SharedRef::from_shared(before),
                filter.to_owned(),
                order,
                today,
            )
        };
        let (cache, cached_date) = (&mut self.packages, &mut self.date);
        self.rows.update(key(), |(_, _, filter, order, today)| {
            if std::mem::replace(cached_date, *today) != *today {
                cache.clear();
            }
            let Some(snapshot) = snapshot else { return Vec::new() };
            update_packages(cache, snapshot, *today);
            deprecation_rows(cache, snapshot, before.map(Arc::as_ref), filter, *order)
        });
        let at = self.clamp_index(selected).unwrap_or_default();
        let row = self.rows.value.get(at);
        self.details.update((key(), at, view_cx.session.upgrade_query.query.clone()), |(_, _, query)| {
            row.zip(snapshot).map(|(row, snapshot)| row_details(row, snapshot, query)).unwrap_or_default()
        });
    }
}

/// Computes new and changed packages, and removes others from the cache.
fn update_packages(
    cache: &mut HashMap<PackageName, PackageDeprecations>,
    snapshot: &Snapshot,
    today: Option<Date>,
) {
    cache.retain(|name, _| snapshot.package(name.as_str()).is_some());
    for (name, package_state) in snapshot.packages() {
        if cache.get(name).is_some_and(|known| Arc::ptr_eq(&known.package_state, package_state)) {
            continue;
        }
        let deprecated = list_deprecations(package_state).into_iter();
        let deprecated = deprecated
            .map(|one| {
                let verdict = one.most_severe();
                (Arc::new(one), verdict)
            })
            .collect();
        let suggested =
            suggest_deprecations(&snapshot.catalog, package_state, today).into_iter().map(Arc::new).collect();
        cache.insert(
            name.clone(),
            PackageDeprecations { package_state: Arc::clone(package_state), deprecated, suggested },
        );
    }
}

/// Returns the rows in order: deprecations, new ones first in a comparison, then suggestions by
/// package.
fn deprecation_rows(
    cache: &HashMap<PackageName, PackageDeprecations>,
    snapshot: &Snapshot,
    before: Option<&Snapshot>,
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<DeprecationRow> {
    let of = |name: &PackageName| cache.get(name);
    let deprecated = snapshot.packages().flat_map(|(name, package_state)| {
        let all = of(name).map(|known| known.deprecated.as_slice()).unwrap_or_default();
        let effects = before.map(|before| {
            let old = before.package(name.as_str()).filter(|old| !Arc::ptr_eq(old, package_state));
            let is_compared = old.is_some() || before.package(name.as_str()).is_none();
            if is_compared {
                DeprecationEffects::compare_states(name, old.map(AsRef::as_ref), Some(package_state))
            } else {
                None
            }
        });
        all.iter().map(move |(one, verdict)| DeprecationRow {
            package: name.clone(),
            verdict: Some(*verdict),
            change: effects.as_ref().map(|effects| {
                effects.as_ref().map(|effects| relate_to_effects(one, effects)).unwrap_or_default()
            }),
            location: snapshot.catalog.location(one.doc, one.span),
            content: RowContent::Deprecated(Arc::clone(one)),
        })
    });
    let suggested = snapshot.packages().flat_map(|(name, _)| {
        let all = of(name).map(|known| known.suggested.as_slice()).unwrap_or_default();
        all.iter().map(|one| DeprecationRow {
            package: name.clone(),
            location: None,
            verdict: None,
            change: None,
            content: RowContent::Suggested(Arc::clone(one)),
        })
    });
    let mut rows: Vec<DeprecationRow> =
        deprecated.chain(suggested).filter(|row| filter.is_empty() || row.passes_filter(filter)).collect();
    // Suggestions do not affect installed versions, so they stay last.
    match order {
        Some(ListOrder::MostStuck) => {
            rows.sort_by_cached_key(|row| (row.report().is_none(), Reverse(row.blocked_count())));
        }
        Some(ListOrder::MostAffected) => {
            rows.sort_by_cached_key(|row| (row.report().is_none(), Reverse(row.affected_count())));
        }
        _ => rows.sort_by_key(|row| {
            let change = row.change.unwrap_or_default();
            (row.report().is_none(), !(change.is_concerned && row.blocked_count() > 0), !change.is_concerned)
        }),
    }
    rows
}

fn row_details(row: &DeprecationRow, snapshot: &Snapshot, query: &Query) -> RowDetails {
    let lifecycle = lifecycle_of_row(row, snapshot);
    let known = row.report().zip(snapshot.package(row.package.as_str()));
    let Some((one, package_state)) = known else { return RowDetails { lifecycle, ..RowDetails::default() } };
    RowDetails {
        sentences: describe_deprecation(one, |name| package_state.package().short_name(name)),
        classic_output: describe_classic_output(package_state, one),
        v1_output: describe_v1_conditions(package_state, query, one),
        lifecycle,
    }
}

/// Returns the lifecycle of the bundle of a row, or of the head of its channel.
fn lifecycle_of_row(row: &DeprecationRow, snapshot: &Snapshot) -> Option<VersionSupport> {
    let package_state = snapshot.package(row.package.as_str())?;
    let package = package_state.package();
    let name = match row.target()? {
        DeprecationTarget::Bundle(name) => name.clone(),
        DeprecationTarget::Channel(name) => {
            let graph = &package_state.graph.channel(name.as_str())?.graph;
            graph.head()?.name.clone()
        }
        DeprecationTarget::Package => return None,
    };
    let version = package.bundle_version(name.as_str())?;
    Lifecycle::from_package(&snapshot.catalog, package).support_for(&version.version).cloned()
}
