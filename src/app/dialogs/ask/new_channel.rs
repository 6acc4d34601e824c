//! Follow-up question about the entries of a new channel.

use crate::{
    app::{
        session::Session,
        work::{
            Opening,
            opening::{Asked, Leads, Purpose, Way},
        },
    },
    catalog::{ChannelName, PackageName},
    edit::Edit,
};

/// Returns the choice between an empty channel and a copy of the selected one.
pub(in crate::app) fn ways(name: &PackageName, channel: &ChannelName, session: &Session) -> Opening {
    let empty = Edit::AddChannel { package: name.clone(), channel: channel.clone(), entries: Vec::new() };
    let mut ways = Vec::new();
    let judged = session.snapshot().and_then(|s| s.package(name.as_str()));
    let from = session.selection().channel.clone();
    if let Some((package, from)) = judged.map(|judged| judged.package()).zip(from)
        && let Some(copy) = Edit::copy_channel(package, from.as_str(), channel.clone(), None)
    {
        let entries = package.channel(from.as_str()).map_or(0, |channel| channel.entries.len());
        let note = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
        ways.push(Way { label: format!("copy of {from}"), note, then: Leads::Edit(copy) });
        let top = session.selection().bundle.as_ref();
        let top = top.and_then(|bundle| package.version_of(bundle.as_str()));
        let top = top.map(|version| version.version.to_string()).unwrap_or_default();
        ways.push(Way {
            label: format!("copy of {from} up to ..."),
            note: "asks for a version".to_owned(),
            then: Leads::Ask {
                package: name.clone(),
                asked: Asked::UpTo { channel: channel.clone(), from },
                proposed: top,
            },
        });
    }
    let note = "add entries with a".to_owned();
    ways.push(Way { label: "empty".to_owned(), note, then: Leads::Edit(empty) });
    let title = format!("New channel {channel}");
    Opening::Choose { purpose: Purpose::Edit, title, ways }
}
