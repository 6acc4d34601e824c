//! Follow-up question about the entries of a new channel.

use crate::tui::{
    session::Session,
    work::{
        DialogRequest,
        dialog_request::{ChoiceAction, EditOption, EditPurpose, QuestionKind},
    },
};
use olm_catalog::{ChannelName, PackageName};
use olm_edit::Edit;

/// Returns the choice between an empty channel and a copy of the selected one.
pub(in crate::tui) fn new_channel_choice(
    name: &PackageName,
    channel: &ChannelName,
    session: &Session,
) -> DialogRequest {
    let empty = Edit::AddChannel { package: name.clone(), channel: channel.clone(), entries: Vec::new() };
    let mut ways = Vec::new();
    let package_state = session.snapshot().and_then(|s| s.package(name.as_str()));
    let from = session.selection().channel.clone();
    if let Some((package, from)) = package_state.map(|package_state| package_state.package()).zip(from)
        && let Some(copy) = Edit::copy_channel(package, from.as_str(), channel.clone(), None)
    {
        let entries = package.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
        let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
        ways.push(EditOption { label: format!("copy of {from}"), note, action: ChoiceAction::Edit(copy) });
        let top = session.selection().bundle.as_ref();
        let top = top.and_then(|bundle| package.bundle_version(bundle.as_str()));
        let top = top.map(|version| version.version.to_string()).unwrap_or_default();
        ways.push(EditOption {
            label: format!("copy of {from} up to ..."),
            note: "asks for a version".to_owned(),
            action: ChoiceAction::Ask {
                package: name.clone(),
                question: QuestionKind::HighestVersion { channel: channel.clone(), from },
                initial_answer: top,
            },
        });
    }
    let note = "add entries with a".to_owned();
    ways.push(EditOption { label: "empty".to_owned(), note, action: ChoiceAction::Edit(empty) });
    let title = format!("New channel {channel}");
    DialogRequest::Choose { purpose: EditPurpose::Edit, title, choices: ways }
}
