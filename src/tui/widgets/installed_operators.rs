//! Installed operators of a cluster, shown next to packages and bundles.

use crate::tui::{
    session::context::ViewContext,
    widgets::{
        canvas::{Line, Piece, piece, wrap_text},
        theme::Ink,
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_plan::cluster::Operator;
use olm_upgrade::Engine;

/// Returns where a bundle of the selected package is installed; `None` if it is not.
pub fn installed_piece(view_cx: &ViewContext<'_>, bundle: &BundleName) -> Option<Piece> {
    Some(piece(view_cx.session.describe_installation(bundle)?, Ink::Good))
}

/// Returns the columns of the mark next to a package; 0 without cluster data.
pub fn mark_width(view_cx: &ViewContext<'_>) -> u16 {
    if view_cx.session.installed_operators.cluster.is_some() { 2 } else { 0 }
}

/// Returns the mark of a package; `None` without cluster data.
pub fn installed_mark(view_cx: &ViewContext<'_>, package: &PackageName) -> Option<Piece> {
    view_cx.session.installed_operators.cluster.as_ref()?;
    let is_installed = view_cx.session.installed_operators.operators_of(package).next().is_some();
    Some(piece(if is_installed { "i " } else { "  " }, Ink::Good))
}

/// Lists the operators of a package on the cluster.
pub fn operator_lines(view_cx: &ViewContext<'_>, package: &PackageName, columns: usize) -> Vec<Line> {
    let all = view_cx
        .session
        .installed_operators
        .operators_of(package)
        .flat_map(|operator| wrap_text(&describe_operator(operator), columns));
    all.map(|line| vec![piece(line, Ink::Good)]).collect()
}

fn describe_operator(operator: &Operator) -> String {
    let installed = operator.installed.as_ref().map_or("nothing yet", |installed| installed.name.as_str());
    let by = match operator.engine() {
        Engine::Classic => operator.request_label(),
        Engine::V1 if operator.namespace.is_empty() => operator.request_label(),
        Engine::V1 => format!("{} in {}", operator.request_label(), operator.namespace),
    };
    let channels: Vec<String> = operator.requested_channels().iter().map(ToString::to_string).collect();
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
