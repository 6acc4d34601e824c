//! Deprecates a bundle: applies the edit in memory, prints its impact on users, and saves it if nothing gets
//! worse.
//!
//!     cargo run --example edit -- CATALOG PACKAGE BUNDLE 'Message for users.'

use std::{error::Error, fmt::Write as _, path::Path};

use olm_catalog::{blob::DeprecationTarget, escape, load};
use olm_check::{
    review::{Consequences, Snapshot},
    rule::Severity,
};
use olm_edit::{
    Edit,
    save::{self, DirectoryLock},
};

/// Applies the edit. The file changes only at the deprecation; comments and the order of the rest are kept.
pub fn run(path: &Path, package: &str, bundle: &str, message: &str) -> Result<String, Box<dyn Error>> {
    // Only the holder of the lock writes to the folder of the catalog. It is taken before reading, so that
    // the edited state is the current one.
    let mut lock = DirectoryLock::with_default_state();
    lock.lock_directories([path])?;
    let before = Snapshot::new(load::open_catalog(path)?);
    let edit = Edit::Deprecate {
        package: package.into(),
        target: DeprecationTarget::Bundle(bundle.into()),
        message: message.to_owned(),
    };
    // An edit is a value, and so is its result: the catalog before the edit is still available for
    // comparison.
    let after = before.after_change(olm_edit::apply_edit(&before.catalog, &edit)?);
    let consequences = Consequences::compare_snapshots(&before, &after);
    let mut out = String::new();
    for moved in &consequences.changed_steps {
        let target = |next: &olm_upgrade::table::NextUpgrade| {
            next.target().map_or("stays".to_owned(), ToString::to_string)
        };
        let words = format!(
            "{} for {}: {} => {}",
            moved.engine.as_str(),
            moved.installed,
            target(&moved.before.next),
            target(&moved.after.next)
        );
        writeln!(out, "{}", escape::escape_line(&words))?;
    }
    if let Some(error) =
        consequences.new_findings.iter().find(|finding| finding.severity() == Severity::Error)
    {
        return Err(format!("not saved: {}", escape::escape_line(&error.message)).into());
    }
    save::save_catalogs(&[(&before.catalog, &after.catalog)], &mut lock)?;
    writeln!(out, "saved")?;
    Ok(out)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(package), Some(bundle), Some(message)) =
        (args.next(), args.next(), args.next(), args.next())
    else {
        return Err("usage: edit CATALOG PACKAGE BUNDLE MESSAGE".into());
    };
    print!("{}", run(Path::new(&path), &package, &bundle, &message)?);
    Ok(())
}
