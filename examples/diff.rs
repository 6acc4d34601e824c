//! Compares two catalogs by meaning, and lists what users would lose.
//!
//!     cargo run --example diff -- demo/openshift/v4.20 demo/openshift/v4.22

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape::escape_line, load};
use olm_check::review::{Difference, Snapshot, diff::gate};

/// Lists the changes by package, and the violations of the gates for removed entries and new dead
/// ends.
pub fn run(old: &Path, new: &Path) -> Result<String, Box<dyn Error>> {
    let open = |path| load::open_catalog(path).map(Snapshot::new);
    let changes = Difference::compare_catalogs(&open(old)?, &open(new)?);
    let mut out = String::new();
    for package in &changes.packages {
        let (channels, bundles) = (package.channels.len(), package.bundles.len());
        let (mark, name) = (package.change_kind.diff_mark(), escape_line(package.name.as_str()));
        writeln!(out, "{mark} {name}: {channels} channels, {bundles} bundles differ")?;
    }
    writeln!(out, "installed versions with another successor: {}", changes.consequences.changed_steps.len())?;
    let gates = [gate::Gate::RemovedEntries, gate::Gate::NewStuck];
    for violation in gate::find_violations(&changes, &gates, &gate::exempt_channels()) {
        writeln!(out, "{}", escape_line(&violation.to_string()))?;
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let [old, new] = args.as_slice() else { return Err("usage: diff OLD NEW".into()) };
    print!("{}", run(Path::new(old), Path::new(new))?);
    Ok(())
}
