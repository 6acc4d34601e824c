//! Numbers of stuck versions, as screens show them. Catalogs are checked in the background, so nothing is computed here.

use crate::{
    app::session::Session,
    catalog::{ChannelName, PackageName},
    export::stuck,
    review::Judged,
    upgrade::stuck::{PackageStuck, brief_numbers},
};

impl Session {
    /// Reports whether the catalog is one that OLM serves. A template or proposed channels have no stuck versions.
    pub fn has_stuck_numbers(&self) -> bool {
        self.snapshot().is_some_and(|now| {
            let catalog = &now.catalog;
            catalog.template().is_none() && !catalog.is_proposed() && catalog.unread().is_none()
        })
    }

    /// Returns the stuck versions of a package of the catalog. `None` if they do not apply, or are not known yet.
    pub fn stuck_of<'j>(&self, judged: &'j Judged) -> Option<&'j PackageStuck> {
        judged.stuck().filter(|_| self.has_stuck_numbers())
    }

    /// Returns the number of stuck versions of a package in few letters.
    pub fn brief_stuck(&self, package: &PackageName) -> Option<String> {
        let judged = self.snapshot()?.package(package.as_str())?;
        self.stuck_of(judged).map(PackageStuck::brief)
    }

    /// Returns the number of stuck versions that are entries of a channel of the selected package, in few letters.
    pub fn brief_stuck_in(&self, channel: &ChannelName) -> Option<String> {
        let judged = self.package()?;
        let stuck = self.stuck_of(judged)?;
        let counts = stuck.count_in(&judged.graph.channel(channel.as_str())?.graph);
        Some(counts.map_or_else(|| "?".to_owned(), |(classic, v1)| brief_numbers(classic, v1)))
    }

    /// Returns the number of stuck versions of the whole catalog: `194 stuck, v1 195`.
    pub fn stuck_words(&self) -> Option<(usize, String)> {
        let snapshot = self.snapshot().filter(|_| self.has_stuck_numbers())?;
        // Objects without a package are not a package.
        let named = snapshot.packages().filter(|(name, _)| !name.as_str().is_empty());
        let all: Option<Vec<&PackageStuck>> = named.map(|(_, judged)| judged.stuck()).collect();
        let Some(all) = all else { return Some((0, "checking".to_owned())) };
        let count = all.iter().map(|stuck| stuck.count_any()).sum();
        let unknown = all.iter().filter(|stuck| stuck.answer.is_none()).count();
        let more = if unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
        Some((count, format!("{}{more}", stuck::title(all.into_iter()))))
    }
}
