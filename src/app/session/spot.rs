//! File locations of selected items.

use crate::{
    app::{
        keys::spec::Reason,
        session::{
            Session,
            target::{Level, Target, Whereabouts},
        },
        work::{Source, effect::Spot},
    },
    catalog::{
        BundleHome, BundleName, Catalog, ChannelName, Origin, blob::DeprecationTarget, file::DocId,
        package::Package, span::Span,
    },
    validate::diagnostic::Location,
};

impl Session {
    /// Returns the location of an item on disk. For an item that an unsaved edit added, returns
    /// where it will be inserted.
    ///
    /// # Errors
    ///
    /// The reason, if the item is not in a file on disk.
    pub(in crate::app) fn spot(&self, target: &Target) -> Result<Spot, Reason> {
        if let Some(Whereabouts::OnDisk(spot)) = &target.whereabouts {
            return Ok(spot.clone());
        }
        let open = self.catalog().ok_or("no catalog is open")?;
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
        let row = of_row(catalog, target);
        if catalog.is_proposed() {
            return row.map_or_else(|| of_csv(catalog, target), Ok);
        }
        row.or_else(|| spot(catalog, selected(catalog, target)?))
            // For an empty list, use the selection in the header.
            .or_else(|| spot(catalog, selected(catalog, &Target::selected(self))?))
            .or_else(|| spot(catalog, (catalog.documents().next()?, Span::default())))
            .ok_or_else(|| "this is not on disk yet".to_owned())
    }
}

/// Returns the CSV of the highlighted bundle. A catalog of bundle directories does not have its own
/// file.
fn of_csv(catalog: &Catalog, target: &Target) -> Result<Spot, Reason> {
    let names = target.package.as_ref().zip(target.bundle.as_ref());
    let home = names.and_then(|(package, bundle)| catalog.bundle_home(package, bundle));
    match home {
        Some(BundleHome::Directory { csv: Some(path), .. }) => Ok(Spot { path, line: 1 }),
        Some(_) => Err("the bundle has no ClusterServiceVersion".to_owned()),
        None => Err("select a bundle: the channels of bundle directories are in no file".to_owned()),
    }
}

/// Returns the location of the highlighted row, if it has one.
fn of_row(catalog: &Catalog, target: &Target) -> Option<Spot> {
    match target.whereabouts.as_ref()? {
        Whereabouts::OnDisk(spot) => Some(spot.clone()),
        Whereabouts::At(Location::Document(doc, span)) => spot(catalog, (*doc, *span)),
        Whereabouts::At(Location::InBundle(spot)) => {
            Some(Spot { path: spot.path.clone(), line: spot.start.0 })
        }
        Whereabouts::At(Location::File(path)) => {
            let disk = catalog.files().iter().find(|file| file.shown() == path)?.disk.clone()?;
            Some(Spot { path: disk, line: 1 })
        }
        Whereabouts::Deprecation(of) => {
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
            spot(catalog, stated.or_else(|| named(package, names))?)
        }
    }
}

/// Returns the location of the highlighted item at its level.
fn selected(catalog: &Catalog, target: &Target) -> Option<(DocId, Span)> {
    let package = catalog.package(target.package.as_ref()?.as_str())?;
    let channel = target.channel.as_ref().filter(|_| target.level != Level::Package);
    let bundle = target.bundle.as_ref().filter(|_| matches!(target.level, Level::Bundle | Level::All));
    named(package, [channel.map(ChannelName::as_str), bundle.map(BundleName::as_str)])
}

/// Returns the most specific location: the entry, its bundle, a reference to it, the channel, or
/// the package.
fn named(package: &Package, [channel, bundle]: [Option<&str>; 2]) -> Option<(DocId, Span)> {
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

/// Returns the line of a span in a document, if the document is on disk.
fn spot(catalog: &Catalog, (doc, span): (DocId, Span)) -> Option<Spot> {
    let file = catalog.file(doc.file).filter(|file| file.segment(doc.serial).is_some())?;
    let path = file.disk.clone()?;
    Some(Spot { path, line: file.place(doc.serial, span.range()).line })
}
