//! Deprecates a bundle, prints what this changes for users, and saves it.
//!
//!     cargo run --example edit -- CATALOG PACKAGE BUNDLE 'Message for users.'

use std::{error::Error, fmt::Write as _};

use olm_catalog::{blob::DeprecationTarget, escape::escape_line};
use olm_check::review::{Consequences, Snapshot};
use olm_edit::{Edit, EditSession};

/// Applies the edit. The file changes only at the deprecation; comments and the order of the rest are kept.
pub fn run(args: &[String]) -> Result<String, Box<dyn Error>> {
    let [path, package, bundle, message] = args else {
        return Err("usage: edit CATALOG PACKAGE BUNDLE MESSAGE".into());
    };
    // No other program can change the catalog between reading and saving.
    let mut session = EditSession::open(path)?;
    let (package, target) = (package.as_str().into(), DeprecationTarget::Bundle(bundle.as_str().into()));
    session.apply(&Edit::Deprecate { package, target, message: message.clone() })?;
    let before = Snapshot::new(session.original().clone());
    let after = before.after_change(session.catalog().clone());
    let mut out = String::new();
    for step in &Consequences::compare_snapshots(&before, &after).changed_steps {
        let (installed, old, new) = (&step.installed, &step.before.next, &step.after.next);
        let words = format!("{} for {installed}: {old} => {new}", step.engine);
        writeln!(out, "{}", escape_line(&words))?;
    }
    // A save may carry a warning, which is part of its text.
    Ok(format!("{out}{}\n", session.save()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run(&std::env::args().skip(1).collect::<Vec<_>>())?);
    Ok(())
}
