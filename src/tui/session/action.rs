//! Actions with their metadata, condition and implementation, and the target of shared actions: the
//! highlighted item of the visible screen, with its file location.

use super::{
    catalogs::Catalogs,
    context::{Context, ViewContext},
    navigation::Selection,
};
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{ActionContext, ActionSpec, Enabled, Reason, WriteScope},
    },
    work::{
        Source,
        effect::{ClipboardText, FileLine},
    },
};
use olm_catalog::{
    BundleName, BundleSource, Catalog, ChannelName, Origin, PackageName, blob::DeprecationTarget,
    file::DocId, package::Package, span::Span,
};
use olm_check::FindingLocation;

/// Action of a screen, or of its target ([`Target`]).
#[derive(Debug)]
pub struct Action<S: 'static> {
    /// Static metadata of the action.
    pub spec: ActionSpec,
    /// Implementation of the action.
    pub handler: ActionHandler<S>,
}

/// Implementation of an action. A screen can replace the implementation of a shared action without
/// changing its metadata.
#[derive(Debug)]
pub struct ActionHandler<S: 'static> {
    /// The action.
    pub id: ActionId,
    /// Returns the reason if the action is not possible now.
    pub is_enabled: fn(&S, &ViewContext<'_>) -> Enabled,
    /// Runs the action.
    pub run: fn(&mut S, &mut Context<'_>),
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always_enabled<S>(_: &S, _: &ViewContext<'_>) -> Enabled {
    Ok(())
}

/// Creates an action that is always enabled, writes nothing, and is not a hint.
pub const fn action<S>(
    id: ActionId,
    context: ActionContext,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut S, &mut Context<'_>),
) -> Action<S> {
    Action {
        spec: ActionSpec::new(id, context, keys, title, doc),
        handler: ActionHandler { id, is_enabled: always_enabled, run },
    }
}

impl<S> Action<S> {
    /// See [`ActionSpec::with_hint`].
    #[must_use]
    pub const fn with_hint(self) -> Self {
        Self { spec: self.spec.with_hint(), ..self }
    }

    /// See [`ActionSpec::with_hint_rank`].
    #[must_use]
    pub const fn with_hint_rank(self, rank: u8) -> Self {
        Self { spec: self.spec.with_hint_rank(rank), ..self }
    }

    /// See [`ActionSpec::with_hint_rank_on`].
    #[must_use]
    pub const fn with_hint_rank_on(self, screen: Screen, rank: u8) -> Self {
        Self { spec: self.spec.with_hint_rank_on(screen, rank), ..self }
    }

    /// See [`ActionSpec::with_search_terms`].
    #[must_use]
    pub const fn with_search_terms(self, words: &'static [&'static str]) -> Self {
        Self { spec: self.spec.with_search_terms(words), ..self }
    }

    /// See [`ActionSpec::with_write_scope`].
    #[must_use]
    pub const fn with_write_scope(self, writes: WriteScope) -> Self {
        Self { spec: self.spec.with_write_scope(writes), ..self }
    }

    /// See [`ActionSpec::with_what_if_end`].
    #[must_use]
    pub const fn with_what_if_end(self) -> Self {
        Self { spec: self.spec.with_what_if_end(), ..self }
    }

    /// Sets the condition that enables the action.
    #[must_use]
    pub const fn enabled_when(self, can: fn(&S, &ViewContext<'_>) -> Enabled) -> Self {
        Self { handler: ActionHandler { is_enabled: can, ..self.handler }, ..self }
    }
}

/// Returns the implementation of an action from a table or its replacements.
pub fn find_handler<S>(
    table: &'static [Action<S>],
    replacements: &'static [ActionHandler<S>],
    id: ActionId,
) -> Option<&'static ActionHandler<S>> {
    let own = table.iter().map(|action| &action.handler);
    own.chain(replacements).find(|how| how.id == id)
}

/// Kind of the highlighted item.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TargetKind {
    /// The package.
    Package,
    /// The channel.
    Channel,
    /// The bundle.
    Bundle,
    /// No single item: the action may have to ask.
    #[default]
    All,
}

/// File location of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowLocation {
    /// A known location.
    InCatalog(FindingLocation),
    /// A line of a file that does not belong to the catalog.
    OnDisk(FileLine),
    /// The deprecation of an item.
    Deprecation(Option<DeprecationTarget>),
}

/// Highlighted item of the visible screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of the package.
    pub channel: Option<ChannelName>,
    /// A bundle of the package, usually an entry of the channel.
    pub bundle: Option<BundleName>,
    /// Kind of the highlighted item.
    pub kind: TargetKind,
    /// Name of the highlighted row, such as `this finding`. `None` if the selection is highlighted.
    pub row: Option<&'static str>,
    /// Location of the row, if known.
    pub location: Option<RowLocation>,
    /// Text of the row that can be copied, if it has one.
    pub row_text: Option<ClipboardText>,
}

impl Target {
    /// Returns the selection as the target.
    pub fn from_selection(selection: &Selection) -> Self {
        let Selection { package, channel, bundle } = selection.clone();
        Self { package, channel, bundle, ..Self::default() }
    }

    /// Returns the target of a row. If a bundle is given without a channel, a channel with the
    /// bundle is used.
    pub fn from_row(
        catalogs: &Catalogs,
        row: &'static str,
        package: Option<PackageName>,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
    ) -> Self {
        let channel = channel.or_else(|| catalogs.channel_with(package.as_ref()?, bundle.as_ref()?));
        Self { package, channel, bundle, row: Some(row), ..Self::default() }
    }

    /// Returns the target of a list whose filter hides all rows. Edits must not change what is not
    /// on the screen.
    pub fn for_filtered_list() -> Self {
        Self { row: Some("the filtered list"), ..Self::default() }
    }

    /// Returns the target of a page without rows.
    pub fn for_page() -> Self {
        Self { row: Some("this page"), ..Self::default() }
    }

    /// Returns the reason why the target does not have something, such as `entry`.
    pub fn missing_reason(&self, what: &str) -> Reason {
        match self.row {
            Some(row) => format!("{row} has no {what}"),
            None => format!("no {what} is selected"),
        }
    }
}

impl Catalogs {
    /// Returns the location of an item on disk. For an item that an unsaved edit added, returns
    /// where it will be inserted.
    ///
    /// # Errors
    ///
    /// The reason, if the item is not in a file on disk.
    pub(in crate::tui) fn locate_target(&self, target: &Target) -> Result<FileLine, Reason> {
        if let Some(RowLocation::OnDisk(spot)) = &target.location {
            return Ok(spot.clone());
        }
        let open = self.current().ok_or("no catalog is open")?;
        match open.source {
            Source::Demo => return Err("the demo is built into olmap: it has no file".to_owned()),
            Source::Stdin(_) => return Err("standard input has no file".to_owned()),
            Source::Revision(_) => return Err("a revision has no file on disk".to_owned()),
            Source::Path(_) => {}
        }
        let catalog = &open.baseline.catalog;
        match &catalog.origin {
            Origin::Image(_) => return Err("what comes from an image has no file here".to_owned()),
            Origin::Converted(_) => return Err("what is made of an older format is in no file".to_owned()),
            _ => {}
        }
        let row = locate_row(catalog, target);
        if catalog.is_rendered_from_bundles() {
            return row.map_or_else(|| locate_csv(catalog, target), Ok);
        }
        row.or_else(|| locate_span(catalog, locate_selection(catalog, target)?))
            // For an empty list, use the selection in the header.
            .or_else(|| {
                locate_span(catalog, locate_selection(catalog, &Target::from_selection(self.selection()))?)
            })
            .or_else(|| locate_span(catalog, (catalog.documents().next()?, Span::default())))
            .ok_or_else(|| "this is not on disk yet".to_owned())
    }
}

/// Returns the CSV of the highlighted bundle. A catalog of bundle directories does not have its own
/// file.
fn locate_csv(catalog: &Catalog, target: &Target) -> Result<FileLine, Reason> {
    let names = target.package.as_ref().zip(target.bundle.as_ref());
    let home = names.and_then(|(package, bundle)| catalog.bundle_source(package, bundle));
    match home {
        Some(BundleSource::Directory { csv: Some(path), .. }) => Ok(FileLine { path, line: 1 }),
        Some(_) => Err("the bundle has no ClusterServiceVersion".to_owned()),
        None => Err("select a bundle: the channels of bundle directories are in no file".to_owned()),
    }
}

/// Returns the location of the highlighted row, if it has one.
fn locate_row(catalog: &Catalog, target: &Target) -> Option<FileLine> {
    match target.location.as_ref()? {
        RowLocation::OnDisk(spot) => Some(spot.clone()),
        RowLocation::InCatalog(FindingLocation::Document(doc, span)) => locate_span(catalog, (*doc, *span)),
        RowLocation::InCatalog(FindingLocation::InBundle(spot)) => {
            Some(FileLine { path: spot.path.clone(), line: spot.start.0 })
        }
        RowLocation::InCatalog(FindingLocation::File(path)) => {
            let disk = catalog.files().iter().find(|file| file.display_path() == path)?.disk.clone()?;
            Some(FileLine { path: disk, line: 1 })
        }
        RowLocation::Deprecation(of) => {
            let package = catalog.package(target.package.as_ref()?.as_str())?;
            let names = match of {
                Some(DeprecationTarget::Channel(name)) => [Some(name.as_str()), None],
                Some(DeprecationTarget::Bundle(name)) => [None, Some(name.as_str())],
                Some(DeprecationTarget::Package) | None => [None, None],
            };
            let stated = package.deprecations.iter().find_map(|blob| {
                let entry = blob.entries.iter().find(|entry| entry.target == *of)?;
                Some((blob.doc, entry.span))
            });
            locate_span(catalog, stated.or_else(|| locate_named_item(package, names))?)
        }
    }
}

/// Returns the location of the highlighted package, channel or bundle. The kind of the target
/// decides between them.
fn locate_selection(catalog: &Catalog, target: &Target) -> Option<(DocId, Span)> {
    let package = catalog.package(target.package.as_ref()?.as_str())?;
    let channel = target.channel.as_ref().filter(|_| target.kind != TargetKind::Package);
    let bundle =
        target.bundle.as_ref().filter(|_| matches!(target.kind, TargetKind::Bundle | TargetKind::All));
    locate_named_item(package, [channel.map(ChannelName::as_str), bundle.map(BundleName::as_str)])
}

/// Returns the most specific location: the entry, its bundle, a reference to it, the channel, or
/// the package.
fn locate_named_item(package: &Package, [channel, bundle]: [Option<&str>; 2]) -> Option<(DocId, Span)> {
    let channel = channel.and_then(|name| package.channel(name));
    let entry = || {
        let (channel, name) = (channel?, bundle?);
        let entry = channel.entries.iter().find(|entry| entry.name.value == *name)?;
        Some((channel.doc, entry.name.span))
    };
    let blob = || package.bundle(bundle?).map(|blob| (blob.doc, blob.name.span));
    let reference = || {
        let (channel, name) = (channel?, bundle?);
        let spoken = channel.entries.iter().flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
        spoken.filter(|target| target.value == *name).map(|target| (channel.doc, target.span)).next()
    };
    let of_channel = || channel.map(|channel| (channel.doc, channel.name.span));
    let definition = || package.definition().map(|blob| (blob.doc, blob.name.span));
    let any = || package.documents().next().map(|doc| (doc, Span::default()));
    entry().or_else(blob).or_else(reference).or_else(of_channel).or_else(definition).or_else(any)
}

/// Returns the line of a span in a document, if the document is on disk.
fn locate_span(catalog: &Catalog, (doc, span): (DocId, Span)) -> Option<FileLine> {
    let file = catalog.file(doc.file).filter(|file| file.segment(doc.serial).is_some())?;
    let path = file.disk.clone()?;
    Some(FileLine { path, line: file.location(doc.serial, span.range()).line })
}
