//! Installed operators of a cluster, shown next to packages and bundles.

use crate::{
    app::Model,
    catalog::{BundleName, PackageName},
    plan::cluster::Operator,
    ui::{
        canvas::{Piece, Pieces, piece, wrap},
        theme::Role,
    },
    upgrade::Engine,
};

/// Returns where a bundle of the selected package is installed; `None` if it is not.
pub fn installed(model: &Model, bundle: &BundleName) -> Option<Piece> {
    Some(piece(model.session.is_installed(bundle)?, Role::Good))
}

/// Returns the columns of the mark next to a package; 0 without cluster data.
pub fn mark_width(model: &Model) -> u16 {
    if model.session.on_cluster.is_some() { 2 } else { 0 }
}

/// Returns the mark of a package; `None` without cluster data.
pub fn mark(model: &Model, package: &PackageName) -> Option<Piece> {
    model.session.on_cluster.as_ref()?;
    let is_installed = model.session.operators_of(package).next().is_some();
    Some(piece(if is_installed { "i " } else { "  " }, Role::Good))
}

/// Lists the operators of a package on the cluster.
pub fn lines(model: &Model, package: &PackageName, columns: usize) -> Vec<Pieces> {
    let all = model.session.operators_of(package).flat_map(|operator| wrap(&sentence(operator), columns));
    all.map(|line| vec![piece(line, Role::Good)]).collect()
}

fn sentence(operator: &Operator) -> String {
    let installed = operator.installed.as_ref().map_or("nothing yet", |installed| installed.name.as_str());
    let by = match operator.engine() {
        Engine::Classic => operator.object(),
        Engine::V1 if operator.namespace.is_empty() => operator.object(),
        Engine::V1 => format!("{} in {}", operator.object(), operator.namespace),
    };
    let channels: Vec<String> = operator.channels().iter().map(ToString::to_string).collect();
    let channels = match channels.as_slice() {
        [] => String::new(),
        [one] => format!(", channel {one}"),
        several => format!(", channels {}", several.join(", ")),
    };
    let next = operator.subscription().and_then(|asks| asks.current.as_ref());
    let next = next.filter(|next| operator.installed.as_ref().is_none_or(|own| own.name != **next));
    let next = next.map(|next| format!(", next {next}")).unwrap_or_default();
    format!("installed {installed}: {by}{channels}{next}")
}
