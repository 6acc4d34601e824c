//! Install modes: the namespaces that the operator can watch.

use super::{Row, contents::BundleContents};
use crate::bundle::{classic::InstallMode, read};

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let modes = bundle.items(&["spec", "installModes"]);
    modes
        .into_iter()
        .map(|mode| {
            let name = mode.text(&["type"]);
            let supported =
                if read::truth(mode.node, &["supported"]) { "supported" } else { "not supported" };
            let known = InstallMode::ALL.into_iter().find(|known| known.name() == name);
            let note = known.map_or("not an install mode", meaning);
            Row::new(name.as_ref(), name.as_ref(), supported).note(note).at(mode.spot())
        })
        .collect()
}

fn meaning(mode: InstallMode) -> &'static str {
    match mode {
        InstallMode::OwnNamespace => "watches the namespace it is installed in",
        InstallMode::SingleNamespace => "watches one other namespace",
        InstallMode::MultiNamespace => "watches several namespaces",
        InstallMode::AllNamespaces => "watches all namespaces",
    }
}
