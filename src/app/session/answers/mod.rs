//! What follows from the model and is kept until its causes change, so that no frame works it out again.

mod was;

use std::{collections::HashSet, sync::Arc};

use crate::app::{
    keys::Screen,
    parts::{
        list::{ListId, passes},
        memo::{Memo, Same},
        orders::{self, Order},
    },
    screens::{graph::view::GraphMode, upgrades::rows::Shown},
    session::{
        expecting::Expected,
        model::{Model, Open},
    },
};
use crate::app::{
    parts::names::Names,
    screens::{
        catalog::descriptions,
        changes::rows as compared,
        deprecations::rows::{DeprecationRow, Deprecations, Told},
        graph::{
            all_channels,
            picture::{self, GraphLines, Pictures},
        },
    },
};

use crate::{
    catalog::{BundleName, ChannelName, PackageName, details::BundleDetails, file::Place},
    export::description::Line,
    layout::{
        Layout,
        neighbourhood::Neighbourhood,
        side_by_side::{Ground, SideBySide},
    },
    review::{Judged, Report, Snapshot, expect},
    upgrade::{
        Answer, Installed, UpgradeTable,
        fresh::Fresh,
        openshift::ClusterUpdate,
        path::{Route, Traveller},
        v1::Query,
    },
    validate::Diagnostic,
};

/// A finding as the Problems screen lists it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The finding.
    pub finding: Diagnostic,
    /// Where it stands now.
    pub place: Option<Place>,
}

/// Answers for the selected bundle.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Classic, in the selected (or subscribed) channel.
    pub classic: Option<Answer>,
    /// v1, by the query of the Upgrades screen.
    pub v1: Option<Answer>,
}

type EntriesKey = (Same<Judged>, Option<ChannelName>, String, Option<Order>);
type TableKey = (Same<Judged>, Option<ChannelName>, Query);
type RoutesKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query, Option<BundleName>);
type AnswersKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query);

/// A state on disk and a later one.
type States = (Same<Snapshot>, Same<Snapshot>);

/// What differs in open catalogs, by their numbers.
type Reports = Vec<(usize, Report)>;

/// Everything derived. Read it through the accessors; `Model::derive` keeps it true.
#[derive(Debug, Default)]
pub struct Derived {
    pub(in crate::app) packages: Memo<(Same<Snapshot>, String, Option<Order>), Names<PackageName>>,
    pub(in crate::app) channels: Memo<(Same<Judged>, String, Option<Order>), Names<ChannelName>>,
    pub(in crate::app) entries: Memo<EntriesKey, Names<BundleName>>,
    pub(in crate::app) other_bundles: Memo<(Same<Judged>, Option<ChannelName>), bool>,
    pub(in crate::app) pictures: Pictures,
    pub(in crate::app) routes: Memo<RoutesKey, Vec<Route>>,
    pub(in crate::app) all_channels: Memo<Same<Judged>, Option<Ground>>,
    pub(in crate::app) side_by_side: Memo<all_channels::Key, Option<SideBySide>>,
    pub(in crate::app) table: Memo<TableKey, Option<Arc<UpgradeTable>>>,
    pub(in crate::app) upgrades: Shown,
    pub(in crate::app) was: was::Compared,
    pub(in crate::app) details: Memo<(Same<Judged>, Option<BundleName>), Option<BundleDetails>>,
    pub(in crate::app) descriptions: descriptions::Descriptions,
    pub(in crate::app) answers: Memo<AnswersKey, Answers>,
    pub(in crate::app) problems: Memo<(Same<Snapshot>, String, Option<Order>), Vec<Problem>>,
    pub(in crate::app) deprecations: Deprecations,
    pub(in crate::app) expected: Expected,
    pub(in crate::app) differences: compared::Rows,
    pub(in crate::app) marks: compared::EntryMarks,
    pub(in crate::app) changes: Memo<States, Report>,
    pub(in crate::app) elsewhere: Memo<Vec<(usize, States)>, Reports>,
}

impl Derived {
    /// The packages that pass the filter.
    pub fn packages(&self) -> &Names<PackageName> {
        &self.packages.value
    }

    /// The channels of the package that pass the filter, the default one first.
    pub fn channels(&self) -> &Names<ChannelName> {
        &self.channels.value
    }

    /// The entries of the channel that pass the filter, newest first.
    pub fn entries(&self) -> &Names<BundleName> {
        &self.entries.value
    }

    /// Whether the package has bundles that are no entries of the channel.
    pub fn has_other_bundles(&self) -> bool {
        self.other_bundles.value
    }

    /// The picture of the channel, as the Graph screen draws it.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.pictures.layout.value.as_ref()
    }

    /// What is around the selected bundle, while the Graph screen draws that.
    pub fn zoom(&self) -> Option<&Neighbourhood> {
        self.pictures.zoom.value.as_ref()
    }

    /// Which rows of the picture are shown.
    pub fn graph_lines(&self) -> &GraphLines {
        &self.pictures.lines.value
    }

    /// The paths from the marked bundle to the selected one, under each OLM; none where nothing is marked.
    pub fn routes(&self) -> &[Route] {
        &self.routes.value
    }

    /// All channels of the package side by side, while the Graph screen draws them.
    pub fn side_by_side(&self) -> Option<&SideBySide> {
        self.side_by_side.value.as_ref()
    }

    /// The upgrade table of the package.
    pub fn table(&self) -> Option<&Arc<UpgradeTable>> {
        self.table.value.as_ref()
    }

    /// Which installed bundles block the update of the cluster, where that is asked.
    pub fn cluster_update(&self) -> Option<&ClusterUpdate> {
        self.upgrades.update.value.as_ref()
    }

    /// What a fresh installation gets.
    pub fn fresh(&self) -> Option<&Fresh> {
        self.upgrades.fresh.value.as_ref()
    }

    /// The rows of the table that are shown, in their order.
    pub fn rows(&self) -> &[usize] {
        &self.upgrades.rows.value
    }

    /// What people read about the selected bundle.
    pub fn details(&self) -> Option<&BundleDetails> {
        self.details.value.as_ref()
    }

    /// The description of the selected package, in lines.
    pub fn package_description(&self) -> &[Line] {
        &self.descriptions.package.value
    }

    /// The description of the selected bundle, in lines.
    pub fn bundle_description(&self) -> &[Line] {
        &self.descriptions.bundle.value
    }

    /// What both OLMs do with the selected bundle, and why.
    pub fn answers(&self) -> &Answers {
        &self.answers.value
    }

    /// The findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.problems.value
    }

    /// The deprecations that pass the filter, and after them what could be deprecated.
    pub fn deprecations(&self) -> &[DeprecationRow] {
        &self.deprecations.rows.value
    }

    /// What is told of the selected row of the Deprecations screen.
    pub fn told(&self) -> &Told {
        &self.deprecations.told.value
    }

    /// What would be written of the other open catalogs, by their numbers.
    pub fn changes_elsewhere(&self) -> &[(usize, Report)] {
        &self.elsewhere.value
    }

    /// What became of the upgrade expectations, while they are shown; `None` where there are none.
    pub fn expected(&self) -> Option<&expect::Report> {
        self.expected.report()
    }

    /// The rows of expectations that unsaved edits break.
    pub fn broken(&self) -> Vec<usize> {
        self.expected.broken()
    }

    /// What would be written, and what that changes.
    pub fn changes(&self) -> &Report {
        &self.changes.value
    }
}

impl Model {
    /// Makes what is derived true again. Cheap where nothing changed.
    pub(in crate::app) fn derive(&mut self) {
        let mut derived = std::mem::take(&mut self.derived);
        derived.update(self);
        self.derived = derived;
    }
}

impl Derived {
    fn update(&mut self, model: &Model) {
        let snapshot = model.snapshot();
        let package = model.package();
        let selection = model.selection();
        let filter = |id: ListId| model.lists.filter(id).to_owned();
        let by = |id: ListId| model.orders.of(id);
        let key = (Same::of(snapshot), filter(ListId::Packages), by(ListId::Packages));
        self.packages.update(key, |(_, filter, order)| {
            let names = snapshot.into_iter().flat_map(|s| s.packages()).map(|(name, _)| name);
            let mut names: Vec<_> = names.filter(|name| passes(filter, name.as_str())).cloned().collect();
            if let Some(snapshot) = snapshot {
                orders::packages(&mut names, *order, snapshot);
            }
            Names::new(names, |name| name.as_str().into())
        });
        let key = (Same::of(package), filter(ListId::Channels), by(ListId::Channels));
        self.channels.update(key, |(_, filter, order)| {
            let names = package.map(|p| channels(p, filter, *order)).unwrap_or_default();
            Names::new(names, |name| name.as_str().into())
        });
        let channel = selection.channel.clone();
        let key = (Same::of(package), channel.clone(), filter(ListId::Entries), by(ListId::Entries));
        self.entries.update(key, |(_, channel, filter, order)| {
            let Some((package, channel)) = package.zip(channel.as_ref()) else { return Names::default() };
            let names = entries(package, channel, filter, *order);
            Names::new(names, |name| package.package().short_name(name).into())
        });
        self.other_bundles.update((Same::of(package), channel.clone()), |(_, channel)| {
            package.zip(channel.as_ref()).is_some_and(|(package, channel)| has_others(package, channel))
        });
        // Only the Graph screen draws it.
        if model.screen == Screen::Graph && !model.is_side_by_side() {
            let key = picture::Key {
                package: Same::of(package),
                channel,
                query: model.query.clone(),
                width: usize::from(model.size.0),
            };
            self.pictures.draw(key, model);
            if model.graph.mode == GraphMode::Zoom {
                self.pictures.zoom(model);
            }
        }
        if model.screen == Screen::Graph {
            let marked = model.graph.mark.as_ref().filter(|(of, _)| selection.package.as_ref() == Some(of));
            let marked = marked.map(|(_, bundle)| bundle.clone());
            let key = (
                Same::of(package),
                selection.channel.clone(),
                selection.bundle.clone(),
                model.query.clone(),
                marked,
            );
            self.routes.update(key, |(_, channel, to, query, from)| {
                let wanted = || Some((package?, channel.as_ref()?, from.as_ref()?, to.as_ref()?));
                let Some((package, channel, from, to)) = wanted() else { return Vec::new() };
                let from = Installed::of(package.package(), from);
                let travellers = [Traveller::Classic(channel.clone()), Traveller::V1(query.clone())];
                let route = |by| Route::new(&package.graph, by, &from, to);
                travellers.iter().map(route).collect()
            });
        }
        if model.screen == Screen::Graph && model.is_side_by_side() {
            let first = self.side_by_side.value.as_ref().map_or(0, |shown| shown.first);
            let key = all_channels::Key {
                package: Same::of(package),
                channel: selection.channel.clone(),
                width: usize::from(model.size.0),
            };
            self.all_channels.update(Same::of(package), |_| Some(Ground::new(&package?.graph)));
            let ground = self.all_channels.value.as_ref();
            self.side_by_side.update(key, |key| Some(all_channels::picture(package?, ground?, key, first)));
        }
        let subscribed = model.subscribed_channel().cloned();
        let key = (Same::of(package), subscribed.clone(), model.query.clone());
        self.table.update(key, |(_, channel, query)| {
            let (package, channel) = (package?, channel.as_ref()?);
            Some(Arc::new(UpgradeTable::new(&package.graph, channel, query)))
        });
        self.upgrades.update(model, package, subscribed.as_ref(), self.table.value.as_ref());
        self.compare_with_real(model);
        self.mark_entries(model);
        self.details.update((Same::of(package), selection.bundle.clone()), |(_, bundle)| {
            let blob = package?.package().bundle(bundle.as_ref()?.as_str())?;
            let tree = snapshot?.catalog.tree(blob.doc)?.ok()?;
            Some(BundleDetails::of(&tree))
        });
        if model.screen == Screen::Catalog {
            self.descriptions.update(model, self.details.value.as_ref());
        }
        let key = (Same::of(package), subscribed, selection.bundle.clone(), model.query.clone());
        self.answers.update(key, |(_, channel, bundle, query)| match (package, bundle) {
            (Some(package), Some(bundle)) => {
                let installed = Installed::of(package.package(), bundle);
                Answers {
                    classic: channel.as_ref().map(|c| package.graph.classic(c.as_str(), Some(&installed))),
                    v1: Some(package.graph.v1(query, Some(&installed))),
                }
            }
            _ => Answers::default(),
        });
        let key = (Same::of(snapshot), filter(ListId::Problems), by(ListId::Problems));
        self.problems.update(key, |(_, filter, order)| {
            snapshot.map(|s| problems(s, filter, *order)).unwrap_or_default()
        });
        self.expected.update(model);
        // What only one screen shows is worked out when it is shown.
        if model.screen == Screen::Deprecations {
            self.deprecations.update(model);
        }
        if model.screen == Screen::Changes {
            self.list_differences(model);
            self.update_elsewhere(model);
            let baseline = model.catalog().map(|open| &open.baseline);
            self.changes.update((Same::of(baseline), Same::of(snapshot)), |_| {
                baseline
                    .zip(snapshot)
                    .map(|(before, after)| Report::between(before, after))
                    .unwrap_or_default()
            });
        }
    }
}

impl Derived {
    fn update_elsewhere(&mut self, model: &Model) {
        let is_other = |(number, open): &(usize, &Open)| {
            *number != model.current && open.history.unsaved(&open.baseline) > 0
        };
        let others = || model.open.iter().enumerate().filter(is_other);
        let states = others().map(|(number, open)| {
            (number, (Same::of(Some(&open.baseline)), Same::of(Some(open.history.now()))))
        });
        self.elsewhere.update(states.collect(), |_| {
            others()
                .map(|(number, open)| (number, Report::between(&open.baseline, open.history.now())))
                .collect()
        });
    }
}

fn channels(package: &Judged, filter: &str, order: Option<Order>) -> Vec<ChannelName> {
    let default = package.package().default_channel();
    let mut seen = HashSet::new();
    let named = package.package().channels.iter().map(|channel| &channel.name.value);
    let passing = named.filter(|name| passes(filter, name.as_str()) && seen.insert(*name));
    let mut names: Vec<ChannelName> = passing.cloned().collect();
    names.sort_by(|a, b| {
        (Some(b) == default).cmp(&(Some(a) == default)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    orders::channels(&mut names, order, package);
    names
}

fn has_others(package: &Judged, channel: &ChannelName) -> bool {
    let channel = package.graph.channel(channel.as_str());
    let is_entry =
        |name: &BundleName| channel.is_some_and(|channel| channel.graph.entry_named(name.as_str()).is_some());
    package.package().bundles.iter().any(|bundle| !is_entry(&bundle.name.value))
}

fn entries(package: &Judged, channel: &ChannelName, filter: &str, order: Option<Order>) -> Vec<BundleName> {
    let Some(upgrades) = package.graph.channel(channel.as_str()) else { return Vec::new() };
    let nodes = orders::entries(&upgrades.graph, order).into_iter();
    let nodes = nodes.filter_map(|at| upgrades.graph.node(at));
    let entries = nodes.filter(|node| node.entry.is_some() && passes(filter, node.name.as_str()));
    entries.map(|node| node.name.clone()).collect()
}

fn problems(snapshot: &Snapshot, filter: &str, order: Option<Order>) -> Vec<Problem> {
    let mut problems: Vec<Problem> = snapshot
        .findings()
        .filter(|f| {
            let package = f.package.as_ref().map(PackageName::as_str).unwrap_or_default();
            filter.is_empty()
                || passes(filter, &format!("{} {} {package} {}", f.severity().as_str(), f.rule.id, f.message))
        })
        .map(|finding| Problem {
            place: finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)),
            finding: finding.clone(),
        })
        .collect();
    problems.sort_by(|a, b| {
        let severity = || a.finding.severity().cmp(&b.finding.severity());
        let package = || a.finding.package.cmp(&b.finding.package);
        let place = || a.place.as_ref().map(Place::order).cmp(&b.place.as_ref().map(Place::order));
        let rule = || a.finding.rule.id.cmp(b.finding.rule.id);
        match order {
            Some(Order::FindingPackages) => package().then_with(severity).then_with(place).then_with(rule),
            Some(Order::FindingRules) => rule().then_with(package).then_with(place),
            Some(Order::FindingPlaces) => place().then_with(severity).then_with(rule),
            _ => severity().then_with(package).then_with(place).then_with(rule),
        }
    });
    problems
}
