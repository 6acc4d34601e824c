//! What is deprecated, and what becomes of those concerned.

use std::{cmp::Reverse, sync::Arc};

use super::{Memo, Same};
use crate::{
    app::{
        Model,
        list::{ListId, passes},
        orders::Order,
    },
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget, file::Place},
    review::{Judged, Snapshot},
    upgrade::{
        Installed, ResolveError,
        table::{Next, classic_next, v1_next},
        v1::{Query, Resolver},
    },
};

/// A deprecation as the Deprecations screen lists it.
#[derive(Clone, Debug)]
pub struct DeprecationRow {
    /// The package.
    pub package: PackageName,
    /// What is deprecated.
    pub target: Option<DeprecationTarget>,
    /// How the catalog calls it, where that means nothing.
    pub reference: String,
    /// What users are told.
    pub message: String,
    /// Where it stands.
    pub place: Option<Place>,
    /// Who can still be on it: the bundles concerned.
    pub concerned: Vec<BundleName>,
    /// Of these, the ones that neither OLM moves anywhere.
    pub stuck: usize,
}

/// What both OLMs do with a bundle, whoever is subscribed to what.
#[derive(Clone, Debug)]
pub struct Moves {
    /// What is installed.
    pub installed: BundleName,
    /// What Classic does in each channel it is an entry of.
    pub classic: Vec<(ChannelName, Next)>,
    /// What v1 does over all channels.
    pub v1: Next,
}

impl Moves {
    /// Whether it stays where it is, under either.
    fn is_stuck(&self) -> bool {
        self.v1.target().is_none() && self.classic.iter().all(|(_, next)| next.target().is_none())
    }
}

type RowsKey = (Same<Snapshot>, String, Option<Order>);

/// The list, and of its selected row who is concerned.
#[derive(Debug, Default)]
pub(super) struct Deprecations {
    pub(super) rows: Memo<RowsKey, Vec<DeprecationRow>>,
    pub(super) moves: Memo<(RowsKey, usize), Vec<Moves>>,
}

impl Deprecations {
    pub(super) fn update(&mut self, model: &Model) {
        let snapshot = model.snapshot();
        let filter = model.lists.filter(ListId::Deprecations);
        let order = model.orders.of(ListId::Deprecations);
        let key = || (Same::of(snapshot), filter.to_owned(), order);
        self.rows.update(key(), |(_, filter, order)| {
            snapshot.map(|s| rows(s, filter, *order)).unwrap_or_default()
        });
        // What `Model::cursor` says, which asks the list that is being made.
        let at = model.deprecation.min(self.rows.value.len().saturating_sub(1));
        let row = self.rows.value.get(at);
        self.moves.update((key(), at), |_| {
            let judged = row.zip(snapshot).and_then(|(row, s)| s.package(row.package.as_str()));
            let (Some(judged), Some(row)) = (judged, row) else { return Vec::new() };
            let v1 = judged.graph.resolver(&Query::default());
            moves(judged, &v1, &row.concerned).collect()
        });
    }
}

fn rows(snapshot: &Snapshot, filter: &str, order: Option<Order>) -> Vec<DeprecationRow> {
    let mut rows = Vec::new();
    for (name, judged) in snapshot.packages() {
        let package = judged.package();
        let mut resolver = None;
        for blob in &package.deprecations {
            for deprecation in &blob.entries {
                let reference = match &deprecation.name {
                    Some(name) => format!("{} {}", deprecation.schema.value, name.value),
                    None => deprecation.schema.value.clone(),
                };
                if !passes(filter, &format!("{name} {reference} {}", deprecation.message.value)) {
                    continue;
                }
                let concerned = concerned(judged, deprecation.target.as_ref());
                let v1 = resolver.get_or_insert_with(|| judged.graph.resolver(&Query::default()));
                let stuck = moves(judged, v1, &concerned).filter(Moves::is_stuck).count();
                rows.push(DeprecationRow {
                    package: name.clone(),
                    target: deprecation.target.clone(),
                    reference,
                    message: deprecation.message.value.clone(),
                    place: snapshot.catalog.place(blob.doc, deprecation.span),
                    stuck,
                    concerned,
                });
            }
        }
    }
    rows.sort_by(|a, b| (&a.package, &a.target, &a.reference).cmp(&(&b.package, &b.target, &b.reference)));
    match order {
        Some(Order::MostStuck) => rows.sort_by_key(|row| Reverse(row.stuck)),
        Some(Order::MostConcerned) => rows.sort_by_key(|row| Reverse(row.concerned.len())),
        _ => {}
    }
    rows
}

/// The bundles a deprecation speaks of: somebody may have them installed.
fn concerned(judged: &Judged, target: Option<&DeprecationTarget>) -> Vec<BundleName> {
    let package = judged.package();
    match target {
        Some(DeprecationTarget::Package) => package.bundles.iter().map(|b| b.name.value.clone()).collect(),
        Some(DeprecationTarget::Channel(channel)) => package
            .channel(channel.as_str())
            .map(|c| c.entries.iter().map(|e| e.name.value.clone()).collect())
            .unwrap_or_default(),
        Some(DeprecationTarget::Bundle(bundle)) => vec![bundle.clone()],
        None => Vec::new(),
    }
}

/// What becomes of bundles of a package.
fn moves<'a>(
    judged: &'a Judged,
    v1: &'a Result<Arc<Resolver>, ResolveError>,
    bundles: &'a [BundleName],
) -> impl Iterator<Item = Moves> + 'a {
    let moves = move |bundle: &BundleName| {
        let installed = Installed::of(judged.package(), bundle);
        let channels = judged.graph.channels().iter();
        let channels = channels.filter(|c| c.graph.entry_named(bundle.as_str()).is_some());
        Moves {
            installed: bundle.clone(),
            classic: channels.map(|c| (c.graph.name().clone(), classic_next(c, &installed))).collect(),
            v1: v1_next(v1, &installed),
        }
    };
    bundles.iter().map(moves)
}
