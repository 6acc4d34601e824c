//! Deprecates a bundle: makes the edit in memory, says what it changes for users, and saves it if nothing gets worse.
//!
//!     cargo run --example edit -- CATALOG PACKAGE BUNDLE 'What users are told.'

use std::{error::Error, fmt::Write as _, path::Path};

use olmap::{
    catalog::{blob::DeprecationTarget, load, plain},
    edit::{
        self, Edit,
        save::{self, Lock},
    },
    review::{Consequences, Snapshot},
    validate::rule::Severity,
};

/// Makes the edit. The file changes where the deprecation stands; comments and order of the rest stay.
pub fn run(path: &Path, package: &str, bundle: &str, message: &str) -> Result<String, Box<dyn Error>> {
    // Who holds the lock of a catalog's folder is the only olmap that writes there: taken before reading, so that what is
    // edited is what is there.
    let mut lock = Lock::usual();
    lock.extend([path])?;
    let before = Snapshot::new(load::open(path, &load::Progress::default())?);
    let edit = Edit::Deprecate {
        package: package.into(),
        target: DeprecationTarget::Bundle(bundle.into()),
        message: message.to_owned(),
    };
    // An edit is a value, and so is what it makes: the catalog before it is still there to compare with.
    let after = before.after(edit::apply(&before.catalog, &edit)?);
    let consequences = Consequences::between(&before, &after);
    let mut out = String::new();
    for moved in &consequences.moved {
        let target = |next: &olmap::upgrade::table::Next| {
            next.target().map_or("stays".to_owned(), ToString::to_string)
        };
        let words = format!(
            "{} for {}: {} => {}",
            moved.engine.as_str(),
            moved.installed,
            target(&moved.before.next),
            target(&moved.after.next)
        );
        writeln!(out, "{}", plain::line(&words))?;
    }
    if let Some(error) =
        consequences.new_findings.iter().find(|finding| finding.severity() == Severity::Error)
    {
        return Err(format!("not saved: {}", plain::line(&error.message)).into());
    }
    save::catalogs(&[(&before.catalog, &after.catalog)], &mut lock)?;
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
