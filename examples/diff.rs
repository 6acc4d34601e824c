//! Compares two catalogs by meaning, and fails where users would lose something.
//!
//!     cargo run --example diff -- demo/openshift/v4.20 demo/openshift/v4.22

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{escape, load, paths::glob::Glob};
use olm_check::review::{
    Difference, Snapshot,
    diff::{Gate, gate},
};

/// Lists the changes by package, and the violations of the gates for removed entries and new dead
/// ends.
pub fn run(old: &Path, new: &Path) -> Result<String, Box<dyn Error>> {
    let open = |path| load::open_catalog(path).map(Snapshot::new);
    let (old, new) = (open(old)?, open(new)?);
    let difference = Difference::compare_catalogs(&old, &new);
    let mut out = String::new();
    for package in &difference.packages {
        let name = escape::escape_line(package.name.as_str());
        writeln!(
            out,
            "{} {name}: {} channels, {} bundles differ",
            package.change_kind.diff_mark(),
            package.channels.len(),
            package.bundles.len()
        )?;
    }
    let moved = difference.consequences.changed_steps.len();
    writeln!(out, "installed versions with another successor: {moved}")?;
    let except: Vec<Glob> = gate::EXEMPT_CHANNELS.iter().filter_map(|pattern| Glob::parse(pattern)).collect();
    let gates = [Gate::RemovedEntries, Gate::NewStuck];
    for violation in gate::find_violations(&difference, (&old, &new), &gates, &except) {
        writeln!(out, "{}: {}", violation.gate.name(), escape::escape_line(&violation.text))?;
    }
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(old), Some(new)) = (args.next(), args.next()) else {
        return Err("usage: diff OLD NEW".into());
    };
    print!("{}", run(Path::new(&old), Path::new(&new))?);
    Ok(())
}
