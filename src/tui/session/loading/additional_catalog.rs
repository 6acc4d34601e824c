//! Opening of an additional catalog.

use crate::tui::{
    session::{Session, context::Context, open_catalog::BlockingWork},
    work::{Effect, Source},
};
use olm_source::mentioned_host;

/// Opens a catalog, or switches to it if it is already open.
pub(in crate::tui) fn open_catalog(cx: &mut Context<'_>, source: Source) {
    if let Some(open) = cx.session.open_catalogs.iter().position(|open| open.source == source) {
        cx.session.jump_with(|session| session.current = open);
        return;
    }
    cx.session.generation += 1;
    cx.session.busy = Some(BlockingWork::Opening);
    if !cx.session.sources.contains(&source) {
        cx.session.sources.push(source.clone());
    }
    cx.request(Effect::Load {
        generation: cx.session.generation,
        sources: vec![source],
        show_partial: false,
    });
}

impl Session {
    /// Forgets a source that could not be opened, so that a reload skips it.
    pub(in crate::tui) fn forget_source(&mut self, source: &Source) {
        if self.open_catalogs.iter().all(|open| open.source != *source) {
            self.sources.retain(|other| other != source);
        }
    }
}

/// Returns a warning about side effects of reading a path, such as a network connection. Continuing
/// accepts them.
pub(in crate::tui) fn open_warning(typed: &str, is_offline: bool) -> Option<String> {
    if typed.is_empty() {
        return Some("such as catalogs/v4.20, docker://HOST/NAME:TAG, https://HOST/PATH".to_owned());
    }
    let host = mentioned_host(typed)?;
    Some(if is_offline {
        "opens what the cache has of it (--offline)".to_owned()
    } else {
        format!("opens a connection to {host}")
    })
}
