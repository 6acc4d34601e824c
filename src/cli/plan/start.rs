//! What is installed, as it stands on the command line.

use crate::{
    catalog::{Catalog, near},
    cli::failure::{self, Failure},
    plan::{
        planner::{self, Question, Start},
        series::Release,
    },
    upgrade::Installed,
};

/// What is installed. The first catalog says what it is, or the first of the others that knows it.
pub fn read(releases: &[Release<Catalog>], text: &str, question: &Question) -> Result<Start, Failure> {
    let (name, channel) = match text.split_once('@') {
        Some((name, channel)) => (name, Some(channel)),
        None => (text, None),
    };
    for release in releases {
        let mut packages = release.catalog.packages().filter(|package| package.bundle(name).is_some());
        let Some(package) = packages.next() else { continue };
        if let Some(other) = packages.next() {
            let reason = format!("{} has {name} in {} and in {}", release.label, package.name, other.name);
            return Err(Failure::new(reason));
        }
        let installed = Installed::of(package, &name.into());
        return planner::Start::following(
            &package.name,
            installed,
            channel.map(Into::into),
            question.engine,
            package,
        )
        .ok_or_else(|| {
            let channels = package.channels.iter().map(|channel| channel.name.value.as_str());
            Failure::new(format!("which channel does {name} follow?"))
                .hint(format!("say it: {name}@CHANNEL; channels: {}", failure::some_of(channels)))
        });
    }
    let names = releases.iter().flat_map(|release| release.catalog.packages());
    let names = names.flat_map(|package| package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
    let hint = near::meant(name, names).map_or_else(
        || "--installed takes the name of a bundle: tide.v1.2.0".to_owned(),
        |meant| format!("did you mean {meant}?"),
    );
    Err(Failure::new(format!("no catalog has a bundle {name}")).hint(hint))
}
