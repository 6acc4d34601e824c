//! Rows and details of the Deprecations screen.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use crate::{
    app::{
        parts::{
            list::{ListId, passes},
            memo::{Memo, Same},
            orders::Order,
        },
        session::cx::See,
    },
    catalog::{
        PackageName,
        blob::DeprecationTarget,
        file::Place,
        lifecycle::{Date, Lifecycle, Supported},
    },
    export::deprecations::{Sentence, sentences, shown_by_v1},
    review::{
        Judged, Snapshot,
        deprecations::{
            Change, Deprecated, Effects, Suggestion, Verdict, change_by, deprecated, suggestions,
        },
        diff::Fate,
    },
    upgrade::v1::Query,
};

/// Row of the Deprecations screen.
#[derive(Clone, Debug)]
pub struct DeprecationRow {
    /// The package.
    pub package: PackageName,
    /// The deprecation or suggestion.
    pub listed: Listed,
    /// Location in the catalog. `None` for a suggestion.
    pub place: Option<Place>,
    /// Overall result of a deprecation.
    pub verdict: Option<Verdict>,
    /// Relation to the change that marks show. `None` if nothing is compared.
    pub change: Option<Change>,
}

/// Details of the selected row.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Effects on installed versions, worst first.
    pub sentences: Vec<Sentence>,
    /// Output of clusters with v1, for the query of the Upgrades screen.
    pub shown: Option<String>,
    /// Lifecycle of the bundle, or of the head of the channel.
    pub lifecycle: Option<Supported>,
}

/// Content of a row.
#[derive(Clone, Debug)]
pub enum Listed {
    /// An existing deprecation.
    Deprecated(Arc<Deprecated>),
    /// A suggested deprecation.
    Suggested(Arc<Suggestion>),
}

impl DeprecationRow {
    /// Returns the target, if it is valid. For a suggestion, returns the first target.
    pub fn target(&self) -> Option<&DeprecationTarget> {
        match &self.listed {
            Listed::Deprecated(one) => one.target.as_ref(),
            Listed::Suggested(suggestion) => suggestion.targets.first(),
        }
    }

    /// Returns the deprecation. `None` for a suggestion.
    pub fn deprecated(&self) -> Option<&Deprecated> {
        match &self.listed {
            Listed::Deprecated(one) => Some(one),
            Listed::Suggested(_) => None,
        }
    }

    /// Returns the number of installed versions that the deprecation strands or blocks under v1.
    pub fn blocked(&self) -> usize {
        self.deprecated().map_or(0, |one| one.stranded().count() + one.stopped.len())
    }

    /// Returns the mark of a deprecation that is new, or that removes an upgrade path from its
    /// users.
    pub fn fate(&self) -> Option<Fate> {
        let change = self.change?;
        match (change.is_new, change.is_concerned) {
            (true, _) => Some(Fate::Added),
            (false, true) => Some(Fate::Changed),
            (false, false) => None,
        }
    }

    /// Returns the number of affected installed versions.
    pub fn concerned(&self) -> usize {
        self.deprecated().map_or(0, |one| one.concerned.len())
    }

    fn passes(&self, filter: &str) -> bool {
        let words = match &self.listed {
            Listed::Deprecated(one) => format!("{} {}", one.reference, one.message),
            Listed::Suggested(suggestion) => {
                let reason = suggestion.reason(ToString::to_string);
                let names = suggestion.targets.iter().map(|target| match target {
                    DeprecationTarget::Package => "",
                    DeprecationTarget::Channel(name) => name.as_str(),
                    DeprecationTarget::Bundle(name) => name.as_str(),
                });
                format!("suggested {reason} {}", names.collect::<Vec<_>>().join(" "))
            }
        };
        passes(filter, &format!("{} {words}", self.package))
    }
}

/// Deprecations and suggestions of a package.
#[derive(Clone, Debug)]
struct Known {
    judged: Arc<Judged>,
    deprecated: Vec<(Arc<Deprecated>, Verdict)>,
    suggested: Vec<Arc<Suggestion>>,
}

type RowsKey = (Same<Snapshot>, Same<Snapshot>, String, Option<Order>, Option<Date>);

/// List with the details of its selected row.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Cached by package, because an edit changes only one.
    known: HashMap<PackageName, Known>,
    of_day: Option<Date>,
    rows: Memo<RowsKey, Vec<DeprecationRow>>,
    told: Memo<(RowsKey, usize, Query), Told>,
}

impl List {
    /// Returns the deprecations that pass the filter, followed by suggestions.
    pub(super) fn rows(&self) -> &[DeprecationRow] {
        &self.rows.value
    }

    /// Returns the details of the selected row.
    pub(super) fn told(&self) -> &Told {
        &self.told.value
    }

    /// Returns the index of a selected row, limited to the current length.
    pub(super) fn at(&self, row: usize) -> Option<usize> {
        Some(row.min(self.rows().len().checked_sub(1)?))
    }

    /// Updates rows and details.
    pub(super) fn update(&mut self, see: &See<'_>, selected: usize) {
        let snapshot = see.session.snapshot();
        let today = see.settings.today;
        let filter = see.session.lists.filter(ListId::Deprecations);
        let order = see.session.orders.of(ListId::Deprecations);
        let before = see.session.marked_state();
        let key = || (Same::of(snapshot), Same::of(before), filter.to_owned(), order, today);
        let (known, of_day) = (&mut self.known, &mut self.of_day);
        self.rows.update(key(), |(_, _, filter, order, today)| {
            if std::mem::replace(of_day, *today) != *today {
                known.clear();
            }
            let Some(snapshot) = snapshot else { return Vec::new() };
            learn(known, snapshot, *today);
            rows(known, snapshot, before.map(Arc::as_ref), filter, *order)
        });
        let at = self.at(selected).unwrap_or_default();
        let row = self.rows.value.get(at);
        self.told.update((key(), at, see.session.question.query.clone()), |(_, _, query)| {
            row.zip(snapshot).map(|(row, snapshot)| told(row, snapshot, query)).unwrap_or_default()
        });
    }
}

/// Computes new and changed packages, and removes others from the cache.
fn learn(known: &mut HashMap<PackageName, Known>, snapshot: &Snapshot, today: Option<Date>) {
    known.retain(|name, _| snapshot.package(name.as_str()).is_some());
    for (name, judged) in snapshot.packages() {
        if known.get(name).is_some_and(|known| Arc::ptr_eq(&known.judged, judged)) {
            continue;
        }
        let deprecated = deprecated(judged).into_iter();
        let deprecated = deprecated
            .map(|one| {
                let verdict = one.verdict();
                (Arc::new(one), verdict)
            })
            .collect();
        let suggested = suggestions(&snapshot.catalog, judged, today).into_iter().map(Arc::new).collect();
        known.insert(name.clone(), Known { judged: Arc::clone(judged), deprecated, suggested });
    }
}

/// Returns the rows in order: deprecations, new ones first in a comparison, then suggestions by
/// package.
fn rows(
    known: &HashMap<PackageName, Known>,
    snapshot: &Snapshot,
    before: Option<&Snapshot>,
    filter: &str,
    order: Option<Order>,
) -> Vec<DeprecationRow> {
    let of = |name: &PackageName| known.get(name);
    let deprecated = snapshot.packages().flat_map(|(name, judged)| {
        let all = of(name).map(|known| known.deprecated.as_slice()).unwrap_or_default();
        let effects = before.map(|before| {
            let old = before.package(name.as_str()).filter(|old| !Arc::ptr_eq(old, judged));
            let is_compared = old.is_some() || before.package(name.as_str()).is_none();
            if is_compared { Effects::between(name, old.map(AsRef::as_ref), Some(judged)) } else { None }
        });
        all.iter().map(move |(one, verdict)| DeprecationRow {
            package: name.clone(),
            verdict: Some(*verdict),
            change: effects
                .as_ref()
                .map(|effects| effects.as_ref().map(|effects| change_by(one, effects)).unwrap_or_default()),
            place: snapshot.catalog.place(one.doc, one.span),
            listed: Listed::Deprecated(Arc::clone(one)),
        })
    });
    let suggested = snapshot.packages().flat_map(|(name, _)| {
        let all = of(name).map(|known| known.suggested.as_slice()).unwrap_or_default();
        all.iter().map(|one| DeprecationRow {
            package: name.clone(),
            place: None,
            verdict: None,
            change: None,
            listed: Listed::Suggested(Arc::clone(one)),
        })
    });
    let mut rows: Vec<DeprecationRow> =
        deprecated.chain(suggested).filter(|row| filter.is_empty() || row.passes(filter)).collect();
    // Suggestions do not affect installed versions, so they stay last.
    match order {
        Some(Order::MostStuck) => {
            rows.sort_by_cached_key(|row| (row.deprecated().is_none(), Reverse(row.blocked())));
        }
        Some(Order::MostConcerned) => {
            rows.sort_by_cached_key(|row| (row.deprecated().is_none(), Reverse(row.concerned())));
        }
        _ => rows.sort_by_key(|row| {
            let change = row.change.unwrap_or_default();
            (row.deprecated().is_none(), !(change.is_concerned && row.blocked() > 0), !change.is_concerned)
        }),
    }
    rows
}

fn told(row: &DeprecationRow, snapshot: &Snapshot, query: &Query) -> Told {
    let lifecycle = lifecycle(row, snapshot);
    let known = row.deprecated().zip(snapshot.package(row.package.as_str()));
    let Some((one, judged)) = known else { return Told { lifecycle, ..Told::default() } };
    Told {
        sentences: sentences(one, |name| judged.package().short_name(name)),
        shown: shown_by_v1(judged, query, one),
        lifecycle,
    }
}

/// Returns the lifecycle of the bundle of a row, or of the head of its channel.
fn lifecycle(row: &DeprecationRow, snapshot: &Snapshot) -> Option<Supported> {
    let judged = snapshot.package(row.package.as_str())?;
    let package = judged.package();
    let name = match row.target()? {
        DeprecationTarget::Bundle(name) => name.clone(),
        DeprecationTarget::Channel(name) => {
            let graph = &judged.graph.channel(name.as_str())?.graph;
            graph.node(graph.head()?)?.name.clone()
        }
        DeprecationTarget::Package => return None,
    };
    let version = package.version_of(name.as_str())?;
    Lifecycle::of(&snapshot.catalog, package).version(&version.version).cloned()
}
