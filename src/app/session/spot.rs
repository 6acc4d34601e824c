//! Where the selected thing stands in a file on disk.

use crate::app::session::Session;
use crate::app::work::effect::Spot;

use crate::app::{
    keys::{Screen, spec::Reason},
    session::{
        open::Open,
        place::{Pane, Selection},
    },
    work::Source,
};
use crate::catalog::{BundleName, Catalog, ChannelName, file::DocId, package::Package, span::Span};

/// Where the row of a list stands, in the catalog that is on disk.
pub(in crate::app) type Listed<'a> = &'a dyn Fn(&Catalog) -> Option<Spot>;

impl Session {
    /// Where the selected thing stands on disk. What an unsaved edit added stands nowhere yet: then where it will be.
    ///
    /// # Errors
    ///
    /// When nothing of it is on disk: why.
    pub(in crate::app) fn spot(&self, listed: Option<Listed<'_>>) -> Result<Spot, Reason> {
        let open = self.catalog().ok_or("no catalog is open")?;
        match open.source {
            Source::Demo => return Err("the demo is built into olmap: it has no file".to_owned()),
            Source::Stdin(_) => return Err("what came through standard input has no file".to_owned()),
            Source::Path(_) => {}
        }
        let catalog = &open.baseline.catalog;
        listed
            .and_then(|listed| listed(catalog))
            .or_else(|| spot(catalog, self.selected(open)?))
            .or_else(|| spot(catalog, (catalog.documents().next()?, Span::default())))
            .ok_or_else(|| "nothing of this is on disk yet".to_owned())
    }

    /// The selected thing: on the Catalog screen that of the pane one is in.
    fn selected(&self, open: &Open) -> Option<(DocId, Span)> {
        let Selection { package, channel, bundle } = &open.selection;
        let package = open.baseline.catalog.package(package.as_ref()?.as_str())?;
        let pane = if self.screen == Screen::Catalog { self.pane } else { Pane::Entries };
        let bundle = bundle.as_ref().filter(|_| pane >= Pane::Entries);
        let channel = channel.as_ref().filter(|_| pane >= Pane::Channels);
        let names = [channel.map(ChannelName::as_str), bundle.map(BundleName::as_str)];
        named(package, names)
    }
}

/// The most exact of what is there: an entry, its bundle, who speaks of it, the channel, the package.
pub(in crate::app) fn named(
    package: &Package,
    [channel, bundle]: [Option<&str>; 2],
) -> Option<(DocId, Span)> {
    let channel = channel.and_then(|name| package.channel(name));
    let entry = || {
        let (channel, name) = (channel?, bundle?);
        let entry = channel.entries.iter().find(|entry| entry.name.value == *name)?;
        Some((channel.doc, entry.name.span))
    };
    let blob = || package.bundle(bundle?).map(|blob| (blob.doc, blob.name.span));
    let spoken_of = || {
        let (channel, name) = (channel?, bundle?);
        let spoken = channel.entries.iter().flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
        spoken.filter(|target| target.value == *name).map(|target| (channel.doc, target.span)).next()
    };
    let of_channel = || channel.map(|channel| (channel.doc, channel.name.span));
    let definition = || package.definition().map(|blob| (blob.doc, blob.name.span));
    let any = || package.documents().next().map(|doc| (doc, Span::default()));
    entry().or_else(blob).or_else(spoken_of).or_else(of_channel).or_else(definition).or_else(any)
}

/// The line of a part of a document, where that is on disk.
pub(in crate::app) fn spot(catalog: &Catalog, (doc, span): (DocId, Span)) -> Option<Spot> {
    let file = catalog.file(doc.file).filter(|file| file.segment(doc.serial).is_some())?;
    let path = file.disk.clone()?;
    Some(Spot { path, line: file.place(doc.serial, span.range()).line })
}
