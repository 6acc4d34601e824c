//! Adds a bundle directory to a catalog, at the place of its version in a channel, and prints the diff.
//!
//!     cargo run --example add_bundle -- CATALOG BUNDLE-DIRECTORY IMAGE CHANNEL

use std::{error::Error, path::Path};

use olm_edit::EditSession;
use olm_source::read_new_bundle;
use olm_upgrade::{
    PackageGraph,
    placement::{ChannelPlacements, PlacementChoice},
};

/// Renders the bundle as `opm render` does, adds it where its version belongs, and saves the catalog.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path, directory, image, channel] = args else {
        return Err("usage: add_bundle CATALOG DIRECTORY IMAGE CHANNEL".into());
    };
    let new = read_new_bundle(Path::new(directory), image)?;
    let mut session = EditSession::open(path)?;
    session.add_bundle(&new, &[])?;
    let package = session.catalog().package(new.package.as_str()).ok_or("the catalog has no such package")?;
    let graph = PackageGraph::new(package);
    let places = ChannelPlacements::find_placements(&graph, &channel.as_str().into(), &new.name, None)?;
    let place = places.choose_placement(PlacementChoice::default())?;
    session.promote(&new.package, &new.name, &[place.place])?;
    // The diff has the exact text of the files, for `git apply`.
    let diff: String = session.diff().iter().map(ToString::to_string).collect();
    Ok(format!("{diff}{}\n", session.save()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
