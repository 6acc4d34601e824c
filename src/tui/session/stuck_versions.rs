//! Numbers of stuck versions for screens. Catalogs are checked in the background, so nothing is
//! computed here.

use std::sync::Arc;

use crate::tui::{
    keys::{
        ActionId,
        spec::{Enabled, Reason},
    },
    session::{
        action::{Target, TargetKind},
        catalogs::Catalogs,
        context::ViewContext,
        open_catalog::OpenCatalog,
    },
    work::remedy::RemedySearch,
};
use olm_catalog::{ChannelName, PackageName};
use olm_check::review::{PackageState, stuck::Scope};
use olm_upgrade::stuck::{StuckReport, format_counts, format_counts_briefly};
use olmap_report::stuck;

impl Catalogs {
    /// Returns true if the catalog has stuck versions. A template, proposed channels, or a partly
    /// read catalog does not.
    pub fn has_stuck_numbers(&self) -> bool {
        self.current().is_some_and(OpenCatalog::is_published) && self.unread().is_none()
    }

    /// Returns the stuck versions of a package. `None` if they do not apply or are not known yet.
    pub fn stuck_of<'j>(&self, package_state: &'j PackageState) -> Option<&'j StuckReport> {
        package_state.stuck().filter(|_| self.has_stuck_numbers())
    }

    /// Returns the number of stuck versions of a package as a short text.
    pub fn brief_stuck(&self, package: &PackageName) -> Option<String> {
        let package_state = self.snapshot()?.package(package.as_str())?;
        self.stuck_of(package_state).map(StuckReport::brief)
    }

    /// Returns the numbers of stuck versions of a package on Classic and on v1. `None` if they do not
    /// apply or are not known.
    pub fn stuck_counts(&self, package: &PackageName) -> Option<(usize, usize)> {
        let package_state = self.snapshot()?.package(package.as_str())?;
        let answer = self.stuck_of(package_state)?.answer.as_ref()?;
        Some((answer.classic.len(), answer.v1.len()))
    }

    /// Returns the number of stuck versions among the entries of a channel of the selected package,
    /// as a short text: `Classic 1, v1 6`, or `C:1 v1:6` if `is_short`. `-` is none.
    pub fn brief_stuck_in(&self, channel: &ChannelName, is_short: bool) -> Option<String> {
        let package_state = self.selected_package()?;
        let stuck = self.stuck_of(package_state)?;
        let counts = stuck.count_in_channel(&package_state.graph.channel(channel.as_str())?.graph);
        Some(match counts {
            None => "?".to_owned(),
            Some((classic, v1)) if is_short => format_counts_briefly(classic, v1),
            Some((classic, v1)) => format_counts(classic, v1),
        })
    }

    /// Returns the number of stuck versions of the whole catalog, with a text such as `Classic 194, v1 195 stuck`, or
    /// `C:194 v1:195 stuck` if it is short. `None` if no package could be read.
    pub fn summarize_stuck(&self, is_short: bool) -> Option<(usize, String)> {
        let snapshot = self.snapshot().filter(|_| self.has_stuck_numbers())?;
        snapshot.packages().next()?;
        let Some(sum) = snapshot.stuck_sum() else { return Some((0, "checking".to_owned())) };
        let more = match sum.unknown_packages {
            0 => String::new(),
            1 => ", 1 package unknown".to_owned(),
            unknown => format!(", {unknown} packages unknown"),
        };
        if is_short && sum.classic != sum.v1 {
            let more = if sum.unknown_packages > 0 {
                format!(", {} unknown", sum.unknown_packages)
            } else {
                String::new()
            };
            return Some((sum.any, format!("{} stuck{more}", format_counts_briefly(sum.classic, sum.v1))));
        }
        Some((sum.any, format!("{}{more}", stuck::format_stuck_title(sum.classic, sum.v1))))
    }
}

/// Returns an error if there are no stuck versions to free in the highlighted item.
pub(in crate::tui) fn can_free_versions(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let (package_state, scope) = remedy_scope(target, view_cx)?;
    let name = &package_state.package().name;
    let Some(stuck) = view_cx.session.catalogs.stuck_of(package_state) else {
        return Err("stuck versions are not known here".to_owned());
    };
    if view_cx.session.snapshot().is_some_and(|now| now.find_file_error(name).is_some()) {
        let show = view_cx.key_label(ActionId::ShowProblems);
        return Err(format!(
            "not known: a file of {name} could not be read completely; {show} shows the error"
        ));
    }
    if stuck.answer.is_none() {
        return Err(format!("not known: the default channel of {name} has no single head with a bundle"));
    }
    let is_stuck = match &scope {
        Scope::Package => stuck.count_any() > 0,
        Scope::Channel(channel) => {
            let channel = package_state.graph.channel(channel.as_str());
            channel
                .and_then(|channel| stuck.count_in_channel(&channel.graph))
                .is_some_and(|count| count != (0, 0))
        }
        Scope::Version(version) => stuck.state_of(version).is_stuck(),
    };
    if is_stuck {
        return Ok(());
    }
    Err(match scope {
        Scope::Package => format!("no version of {name} is stuck"),
        Scope::Channel(channel) => format!("no version in {channel} is stuck"),
        Scope::Version(version) => match stuck.count_any() {
            0 => format!("{version} is not stuck"),
            others => {
                let are = if others == 1 { "1 other is".to_owned() } else { format!("{others} others are") };
                let channels = stuck_channels(package_state, stuck);
                let fix = view_cx.key_label(ActionId::ApplyFix);
                format!("{version} is not stuck; {are}{channels} ({fix} on Packages)")
            }
        },
    })
}

/// Maximum number of channels in a notice.
const MAX_CHANNELS: usize = 2;

/// Names the channels with stuck entries, such as `, in alpha, beta and 2 more`. Empty if no channel has one.
fn stuck_channels(package_state: &PackageState, stuck: &StuckReport) -> String {
    let channels = package_state.graph.channels().iter().map(|channel| &channel.graph);
    let stuck_in = channels.filter(|graph| stuck.count_in_channel(graph).is_some_and(|it| it != (0, 0)));
    let names: Vec<&str> = stuck_in.map(|graph| graph.channel.name.value.as_str()).collect();
    let (first, more) = names.split_at(names.len().min(MAX_CHANNELS));
    match (first, more.len()) {
        ([], _) => String::new(),
        (first, 0) => format!(", in {}", first.join(" and ")),
        (first, more) => format!(", in {} and {more} more", first.join(", ")),
    }
}

/// Returns the search for edits that free the stuck versions of the highlighted item.
pub(in crate::tui) fn remedy_search(target: &Target, view_cx: &ViewContext<'_>) -> Option<RemedySearch> {
    let (package_state, scope) = remedy_scope(target, view_cx).ok()?;
    Some(RemedySearch::new(view_cx.session.snapshot()?, package_state.package().name.clone(), scope))
}

/// Returns the highlighted package and its versions to free.
fn remedy_scope<'a>(
    target: &Target,
    view_cx: &ViewContext<'a>,
) -> Result<(&'a Arc<PackageState>, Scope), Reason> {
    let name = target.package.as_ref().ok_or_else(|| target.missing_reason("package"))?;
    let package_state = view_cx.session.snapshot().and_then(|now| now.package(name.as_str()));
    let package_state = package_state.ok_or_else(|| target.missing_reason("package"))?;
    let scope = match (target.kind, &target.channel, &target.bundle) {
        (TargetKind::Bundle | TargetKind::All, _, Some(bundle)) => Scope::Version(bundle.clone()),
        (TargetKind::Package, ..) | (_, None, _) => Scope::Package,
        (_, Some(channel), _) => Scope::Channel(channel.clone()),
    };
    Ok((package_state, scope))
}
