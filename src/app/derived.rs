//! What follows from the model and is kept until its causes change, so that no frame works it out again.

mod all_channels;
mod was;

use std::sync::Arc;

use super::{
    list::{ListId, passes},
    memo::{Memo, Same},
    model::Model,
    place::Screen,
    upgrades::Shown,
    view::{self, GraphMode},
};
use crate::{
    catalog::{
        BundleName, ChannelName, PackageName, blob::DeprecationTarget, details::BundleDetails, file::Place,
    },
    layout::{
        self, Floor, Fold, Layout, Line, Options,
        neighbourhood::{self, Neighbourhood},
        side_by_side::SideBySide,
    },
    review::{Judged, Report, Snapshot},
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

/// Answers for the selected bundle.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Classic, in the selected (or subscribed) channel.
    pub classic: Option<Answer>,
    /// v1, by the query of the Upgrades screen.
    pub v1: Option<Answer>,
}

type ChannelKey = (Same<Judged>, Option<ChannelName>, String);
type TableKey = (Same<Judged>, Option<ChannelName>, Query);
type LinesKey = (Same<Layout>, bool, Option<Floor>, String);
type RoutesKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query, Option<BundleName>);
type AnswersKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query);

/// What the picture of a channel depends on.
#[derive(Debug, PartialEq)]
struct LayoutKey {
    package: Same<Judged>,
    channel: Option<ChannelName>,
    bundle: Option<BundleName>,
    query: Query,
    width: usize,
}

/// What the picture of a neighbourhood depends on.
#[derive(Debug, PartialEq)]
struct ZoomKey {
    package: Same<Judged>,
    channel: Option<ChannelName>,
    bundle: Option<BundleName>,
    query: Query,
    room: (u16, u16),
}

/// The rows of the picture that are shown, and those a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLines {
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// Rows of the picture in which the searched text is; none where nothing is searched.
    pub found: Vec<usize>,
}

/// Everything derived. Read it through the accessors; `Model::derive` keeps it true.
#[derive(Debug, Default)]
pub struct Derived {
    packages: Memo<(Same<Snapshot>, String), Vec<PackageName>>,
    channels: Memo<(Same<Judged>, String), Vec<ChannelName>>,
    entries: Memo<ChannelKey, Vec<BundleName>>,
    layout: Memo<LayoutKey, Option<Arc<Layout>>>,
    zoom: Memo<ZoomKey, Option<Neighbourhood>>,
    lines: Memo<LinesKey, GraphLines>,
    routes: Memo<RoutesKey, Vec<Route>>,
    side_by_side: Memo<all_channels::Key, Option<SideBySide>>,
    table: Memo<TableKey, Option<Arc<UpgradeTable>>>,
    upgrades: Shown,
    was: was::Compared,
    details: Memo<(Same<Judged>, Option<BundleName>), Option<BundleDetails>>,
    answers: Memo<AnswersKey, Answers>,
    problems: Memo<(Same<Snapshot>, String), Vec<Problem>>,
    deprecations: Memo<(Same<Snapshot>, String), Vec<DeprecationRow>>,
    changes: Memo<(Same<Snapshot>, Same<Snapshot>), Report>,
}

impl Derived {
    /// The packages that pass the filter.
    pub fn packages(&self) -> &[PackageName] {
        &self.packages.value
    }

    /// The channels of the package that pass the filter, the default one first.
    pub fn channels(&self) -> &[ChannelName] {
        &self.channels.value
    }

    /// The entries of the channel that pass the filter, newest first.
    pub fn entries(&self) -> &[BundleName] {
        &self.entries.value
    }

    /// The picture of the channel, as the Graph screen draws it.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.layout.value.as_ref()
    }

    /// What is around the selected bundle, while the Graph screen draws that.
    pub fn zoom(&self) -> Option<&Neighbourhood> {
        self.zoom.value.as_ref()
    }

    /// Which rows of the picture are shown.
    pub fn graph_lines(&self) -> &GraphLines {
        &self.lines.value
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

    /// What both OLMs do with the selected bundle, and why.
    pub fn answers(&self) -> &Answers {
        &self.answers.value
    }

    /// The findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.problems.value
    }

    /// The deprecations that pass the filter.
    pub fn deprecations(&self) -> &[DeprecationRow] {
        &self.deprecations.value
    }

    /// What would be written, and what that changes.
    pub fn changes(&self) -> &Report {
        &self.changes.value
    }
}

impl Model {
    /// Makes what is derived true again. Cheap where nothing changed.
    pub(super) fn derive(&mut self) {
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
        self.packages.update((Same::of(snapshot), filter(ListId::Packages)), |(_, filter)| {
            let names = snapshot.into_iter().flat_map(|s| s.packages()).map(|(name, _)| name);
            names.filter(|name| passes(filter, name.as_str())).cloned().collect()
        });
        self.channels.update((Same::of(package), filter(ListId::Channels)), |(_, filter)| {
            package.map(|p| channels(p, filter)).unwrap_or_default()
        });
        let channel = selection.channel.clone();
        self.entries.update(
            (Same::of(package), channel.clone(), filter(ListId::Entries)),
            |(_, channel, filter)| {
                package.zip(channel.as_ref()).map(|(p, c)| entries(p, c, filter)).unwrap_or_default()
            },
        );
        // Only the Graph screen draws it.
        if model.screen == Screen::Graph && !model.is_side_by_side() {
            let key = LayoutKey {
                package: Same::of(package),
                channel,
                bundle: selection.bundle.clone(),
                query: model.query.clone(),
                width: usize::from(model.size.0),
            };
            self.layout.update(key, |key| Some(Arc::new(graph_layout(package?, key)?)));
            let layout = self.layout.value.as_ref();
            let key = (Same::of(layout), model.graph.fold, model.graph.floor, filter(ListId::Graph));
            self.lines.update(key, |(_, dull, floor, search)| {
                layout.map(|layout| graph_lines(layout, *dull, *floor, search)).unwrap_or_default()
            });
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
                let wanted = || Some((snapshot?, package?, channel.as_ref()?, from.as_ref()?, to.as_ref()?));
                let Some((snapshot, package, channel, from, to)) = wanted() else { return Vec::new() };
                let from = Installed::of(package.package(), from);
                let travellers = [Traveller::Classic(channel.clone()), Traveller::V1(query.clone())];
                let route = |by| Route::new(&snapshot.catalog, &package.graph, by, &from, to);
                travellers.iter().map(route).collect()
            });
        }
        if model.screen == Screen::Graph && model.graph.mode == GraphMode::Zoom {
            let key = ZoomKey {
                package: Same::of(package),
                channel: selection.channel.clone(),
                bundle: selection.bundle.clone(),
                query: model.query.clone(),
                room: view::zoom_room(model.size),
            };
            self.zoom.update(key, |key| zoom(package?, key));
        }
        if model.screen == Screen::Graph && model.is_side_by_side() {
            let first = self.side_by_side.value.as_ref().map_or(0, |shown| shown.first);
            let key = all_channels::Key {
                package: Same::of(package),
                channel: selection.channel.clone(),
                width: usize::from(model.size.0),
            };
            self.side_by_side.update(key, |key| Some(all_channels::picture(package?, key, first)));
        }
        let subscribed = model.subscribed_channel().cloned();
        let key = (Same::of(package), subscribed.clone(), model.query.clone());
        self.table.update(key, |(_, channel, query)| {
            let (package, channel) = (package?, channel.as_ref()?);
            Some(Arc::new(UpgradeTable::new(&package.graph, channel, query)))
        });
        self.upgrades.update(model, package, subscribed.as_ref(), self.table.value.as_ref());
        self.compare_with_real(model);
        self.details.update((Same::of(package), selection.bundle.clone()), |(_, bundle)| {
            let blob = package?.package().bundle(bundle.as_ref()?.as_str())?;
            let tree = snapshot?.catalog.tree(blob.doc)?.ok()?;
            Some(BundleDetails::of(&tree))
        });
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
        self.problems.update((Same::of(snapshot), filter(ListId::Problems)), |(_, filter)| {
            snapshot.map(|s| problems(s, filter)).unwrap_or_default()
        });
        // What only one screen shows is worked out when it is shown.
        if model.screen == Screen::Deprecations {
            self.deprecations.update((Same::of(snapshot), filter(ListId::Deprecations)), |(_, filter)| {
                snapshot.map(|s| deprecations(s, filter)).unwrap_or_default()
            });
        }
        if model.screen == Screen::Changes {
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

fn channels(package: &Judged, filter: &str) -> Vec<ChannelName> {
    let default = package.package().default_channel();
    let mut names: Vec<ChannelName> = Vec::new();
    for channel in &package.package().channels {
        let name = &channel.name.value;
        if passes(filter, name.as_str()) && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.sort_by(|a, b| {
        (Some(b) == default).cmp(&(Some(a) == default)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    names
}

fn entries(package: &Judged, channel: &ChannelName, filter: &str) -> Vec<BundleName> {
    let Some(upgrades) = package.graph.channel(channel.as_str()) else { return Vec::new() };
    let order = layout::order(&upgrades.graph);
    let nodes = order.into_iter().filter_map(|at| upgrades.graph.node(at));
    let entries = nodes.filter(|node| node.entry.is_some() && passes(filter, node.name.as_str()));
    entries.map(|node| node.name.clone()).collect()
}

fn graph_layout(package: &Judged, key: &LayoutKey) -> Option<Layout> {
    let upgrades = package.graph.channel(key.channel.as_ref()?.as_str())?;
    let selected = key.bundle.as_ref().and_then(|name| upgrades.graph.find(name.as_str()));
    let options = Options { query: key.query.clone(), ..Options::page(key.width) };
    Some(layout::layout(&package.graph, upgrades, &options.with_selected(selected)))
}

fn zoom(package: &Judged, key: &ZoomKey) -> Option<Neighbourhood> {
    let upgrades = package.graph.channel(key.channel.as_ref()?.as_str())?;
    let centre = upgrades.graph.find(key.bundle.as_ref()?.as_str())?;
    let (width, height) = key.room;
    let options =
        neighbourhood::Options { width: width.into(), height: height.into(), query: key.query.clone() };
    Some(neighbourhood::neighbourhood(&package.graph, upgrades, centre, &options))
}

fn graph_lines(layout: &Layout, dull: bool, floor: Option<Floor>, search: &str) -> GraphLines {
    let rows = layout.rows.iter().enumerate();
    let holds = |row: &layout::Row| passes(search, &format!("{} {} {}", row.name, row.version, row.note));
    let searches = !search.is_empty();
    let found: Vec<usize> = rows.filter(|(_, row)| searches && holds(row)).map(|(index, _)| index).collect();
    let lines = layout.lines(Fold { dull, floor, found: searches.then_some(found.as_slice()) });
    GraphLines { lines, found }
}

fn problems(snapshot: &Snapshot, filter: &str) -> Vec<Problem> {
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
        fn key(p: &Problem) -> impl Ord + '_ {
            (p.finding.severity(), &p.finding.package, p.place.as_ref().map(Place::order), p.finding.rule.id)
        }
        key(a).cmp(&key(b))
    });
    problems
}

fn deprecations(snapshot: &Snapshot, filter: &str) -> Vec<DeprecationRow> {
    let mut rows = Vec::new();
    for (name, judged) in snapshot.packages() {
        let package = judged.package();
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
                rows.push(DeprecationRow {
                    package: name.clone(),
                    target: deprecation.target.clone(),
                    reference,
                    message: deprecation.message.value.clone(),
                    place: snapshot.catalog.place(blob.doc, deprecation.span),
                    stuck: stuck(judged, &concerned),
                    concerned,
                });
            }
        }
    }
    rows.sort_by(|a, b| (&a.package, &a.target, &a.reference).cmp(&(&b.package, &b.target, &b.reference)));
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

/// How many of them stay where they are: under v1 over all channels, and under Classic in each channel they are in.
fn stuck(judged: &Judged, bundles: &[BundleName]) -> usize {
    let query = Query::default();
    let resolver = crate::upgrade::v1::Resolver::new(judged.package(), &query);
    let stays = |bundle: &&BundleName| {
        let installed = Installed::of(judged.package(), bundle);
        let v1 = crate::upgrade::table::v1_next(&resolver, &installed);
        v1.target().is_none()
            && judged.graph.channels().iter().all(|c| {
                c.graph.entry_named(bundle.as_str()).is_none()
                    || crate::upgrade::table::classic_next(c, &installed).target().is_none()
            })
    };
    bundles.iter().filter(stays).count()
}
