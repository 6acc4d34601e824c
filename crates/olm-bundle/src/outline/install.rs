//! Install modes: the namespaces that the operator can watch.

use super::{Row, contents::OutlineInput};
use crate::{classic::InstallMode, field_access};

pub(super) fn install_mode_rows(bundle: &OutlineInput) -> Vec<Row> {
    let modes = bundle.csv_items(&["spec", "installModes"]);
    modes
        .into_iter()
        .map(|mode| {
            let name = mode.child_text(&["type"]);
            let supported = if field_access::is_true_at(mode.node, &["supported"]) {
                "supported"
            } else {
                "not supported"
            };
            let known = InstallMode::ALL.into_iter().find(|known| known.name() == name);
            let note = known.map_or("not an install mode", describe_mode);
            Row::new(name.as_ref(), name.as_ref(), supported).with_note(note).with_location(mode.location())
        })
        .collect()
}

fn describe_mode(mode: InstallMode) -> &'static str {
    match mode {
        InstallMode::OwnNamespace => "watches the namespace it is installed in",
        InstallMode::SingleNamespace => "watches one other namespace",
        InstallMode::MultiNamespace => "watches several namespaces",
        InstallMode::AllNamespaces => "watches all namespaces",
    }
}
