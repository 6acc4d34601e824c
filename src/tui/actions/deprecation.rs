//! Action that deprecates a package, channel or bundle, or removes its deprecation.

use super::selected_package;
use crate::tui::{
    dialogs::{
        edit_choice::{ChoiceAction, EditChoice, EditOption},
        edit_question::{EditQuestion, QuestionKind, describe_deprecation_target},
    },
    keys::spec::{Enabled, Reason},
    parts::text::escape_single_line,
    session::{
        action::{Target, TargetKind},
        context::{Context, ViewContext},
    },
    work::EditPurpose,
};
use olm_catalog::blob::DeprecationTarget;

/// Returns the parts of the selection that can be deprecated, most likely first.
fn deprecation_targets(target: &Target, view_cx: &ViewContext<'_>) -> Result<Vec<DeprecationTarget>, Reason> {
    let package = selected_package(target, view_cx)?.package();
    let named = target.bundle.as_ref();
    let bundle = named.filter(|name| package.bundle(name.as_str()).is_some());
    let bundle = bundle.map(|name| DeprecationTarget::Bundle(name.clone()));
    let channel = target.channel.clone().map(DeprecationTarget::Channel);
    let targets: Vec<DeprecationTarget> = match target.kind {
        TargetKind::Package => vec![DeprecationTarget::Package],
        TargetKind::Channel => channel.into_iter().collect(),
        TargetKind::Bundle => bundle.into_iter().collect(),
        TargetKind::All => bundle.into_iter().chain(channel).chain([DeprecationTarget::Package]).collect(),
    };
    if targets.is_empty() {
        super::is_in_catalog(target, view_cx)?;
        return Err(match named {
            Some(name) if target.kind == TargetKind::Bundle => {
                format!("{name} is not a bundle of the package")
            }
            _ => "nothing that can be deprecated is selected".to_owned(),
        });
    }
    Ok(targets)
}

pub(super) fn can_deprecate(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    deprecation_targets(target, view_cx).map(drop)
}

/// Asks for the deprecation message. Asks for the target first if there are several.
pub(super) fn open_deprecation(target: &mut Target, cx: &mut Context<'_>) {
    let view_cx = cx.view();
    let (Ok(targets), Ok(package_state)) =
        (deprecation_targets(target, &view_cx), selected_package(target, &view_cx))
    else {
        return;
    };
    let package = package_state.package().name.clone();
    let message = |target: &DeprecationTarget| {
        package_state.package().deprecation(target).map(|d| d.message.value.as_str())
    };
    let ask = |target: DeprecationTarget| {
        let proposed = message(&target).map(escape_single_line).unwrap_or_default();
        let question = QuestionKind::DeprecationMessage(target);
        EditQuestion::new(EditPurpose::Edit, package.clone(), question, proposed, view_cx.session)
    };
    if let [only] = targets.as_slice() {
        let question = ask(only.clone());
        return cx.open_dialog(question);
    }
    let way = |target: DeprecationTarget| {
        let said = message(&target);
        EditOption {
            label: match &target {
                DeprecationTarget::Bundle(bundle) => format!("bundle {bundle}"),
                other => describe_deprecation_target(&package, other),
            },
            note: said.map(|said| format!("is deprecated: {}", escape_single_line(said))).unwrap_or_default(),
            action: ChoiceAction::Open(Box::new(ask(target))),
        }
    };
    let ways = targets.into_iter().map(way).collect();
    cx.open_dialog(EditChoice::new(EditPurpose::Edit, "Deprecate which?".to_owned(), ways, cx.session));
}
