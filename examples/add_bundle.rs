//! Adds a bundle directory to a catalog, as the new head of a channel, and prints the diff.
//!
//!     cargo run --example add_bundle -- CATALOG BUNDLE-DIRECTORY IMAGE CHANNEL

use std::{error::Error, path::Path};

use olm_edit::EditSession;
use olm_source::read_new_bundle;
use olm_upgrade::{PackageGraph, promotion::OfferChoice};

/// Renders the bundle as `opm render` does, adds it with an entry that replaces the head, and saves the catalog.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path, directory, image, channel] = args else {
        return Err("usage: add_bundle CATALOG DIRECTORY IMAGE CHANNEL".into());
    };
    let new = read_new_bundle(Path::new(directory), image)?;
    let mut session = EditSession::open(path)?;
    session.add_bundle(&new, &[])?;
    let package = session.catalog().package(new.package.as_str()).ok_or("the catalog has no such package")?;
    let offer = PackageGraph::new(package).offer_edges(channel, &new.name)?;
    let spec = offer.build_spec(OfferChoice::default());
    session.promote(&new.package, &new.name, [(offer.channel, spec)])?;
    // The diff has the exact text of the files, for `git apply`.
    let diff: String = session.diff().iter().map(ToString::to_string).collect();
    Ok(format!("{diff}{}\n", session.save()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
