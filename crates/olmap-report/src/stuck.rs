//! Stuck versions, for people, programs and pull requests.

use std::{collections::HashSet, fmt::Write as _, sync::Arc};

use serde::Serialize;

pub use super::{
    stuck_remedy::{describe_freed, describe_remedy_details, explain_missing_remedy},
    stuck_sentences::describe_stuck_versions,
};

use super::{
    document::{Piece, piece},
    escape::wrap,
    markdown::{MAX_BYTES, escape_markdown, truncate_characters},
    stuck_remedy::summarize_missing_remedy,
    stuck_sentences,
    style::{Ink, Style},
};
use olm_catalog::{BundleName, PackageName, TemplateKind, TemplateSource};
use olm_check::review::{
    PackageState, Snapshot,
    stuck::{self as review, RemedyError},
    stuck_changes::StuckCounts,
};
use olm_upgrade::{
    Engine, PackageGraph,
    install_blockers::InstallBlockerKind,
    stuck::{Remedy, StuckGroup, StuckReport, format_counts},
};

/// Maximum number of versions listed per group in text.
pub(super) const MAX_NAMED: usize = 8;

/// Package with its stuck versions, and the remedy of each group.
#[derive(Clone, Debug)]
pub struct StuckPackage {
    /// Display name of the catalog, if there are several.
    pub catalog: Option<String>,
    /// Stuck versions.
    pub stuck: StuckReport,
    /// Remedies in the order of the groups.
    pub remedies: Vec<Result<Remedy, RemedyError>>,
    /// Edit that frees the versions of several groups. `None` if there is only one group, or no such edit.
    pub shared_remedy: Option<Remedy>,
    /// Versions that are also stuck in another catalog, by engine. `None` without a comparison.
    pub accepted: Option<HashSet<(Engine, BundleName)>>,
    /// Template that generates the package, if any.
    pub template: Option<TemplateSource>,
}

impl StuckPackage {
    /// Finds the stuck versions of the packages of a catalog, and their remedies.
    pub fn find_in_catalog(
        snapshot: &Snapshot,
        catalog: Option<&str>,
        is_meant: impl Fn(&PackageName) -> bool,
    ) -> Vec<Self> {
        let meant = |(name, _): &(&PackageName, _)| !name.as_str().is_empty() && is_meant(name);
        let of = |(_, judged): (&PackageName, &Arc<PackageState>)| {
            let stuck = judged.graph.stuck().clone();
            let groups = stuck.answer.iter().flat_map(|answer| &answer.groups);
            let remedies = groups.map(|group| review::find_remedy(snapshot, judged, group)).collect();
            let template = snapshot.catalog.template_source(&judged.package().name).cloned();
            let shared_remedy = review::find_shared_remedy(snapshot, judged);
            let catalog = catalog.map(str::to_owned);
            Self { catalog, stuck, remedies, shared_remedy, accepted: None, template }
        };
        snapshot.packages().filter(meant).map(of).collect()
    }

    /// Accepts the versions that are also stuck in another state of the package.
    pub fn accept_stuck_in(&mut self, base: Option<&PackageGraph>) {
        let answer = base.and_then(|base| base.stuck().answer.as_ref());
        let of = |engine| {
            answer
                .into_iter()
                .flat_map(move |answer| answer.on_engine(engine))
                .map(move |name| (engine, name.clone()))
        };
        self.accepted = Some(of(Engine::Classic).chain(of(Engine::V1)).collect());
    }

    fn is_accepted(&self, engine: Engine, version: &BundleName) -> bool {
        self.accepted.as_ref().is_some_and(|accepted| accepted.contains(&(engine, version.clone())))
    }

    /// Returns the numbers of stuck versions that are not accepted.
    pub fn open_counts(&self) -> StuckCounts {
        let groups = self.stuck.answer.iter().flat_map(|answer| &answer.groups);
        let versions = groups.flat_map(|group| group.versions.iter().map(|version| (group.engine, version)));
        versions
            .filter(|(engine, version)| !self.is_accepted(*engine, version))
            .map(|(engine, _)| engine)
            .collect()
    }
}

/// Counts the accepted versions of several packages in words. `None` if there are none.
fn describe_accepted(packages: &[StuckPackage]) -> Option<String> {
    let (mut all, mut open) = (StuckCounts::default(), StuckCounts::default());
    for package in packages.iter().filter(|package| package.accepted.is_some()) {
        all += StuckCounts::count_stuck(&package.stuck).unwrap_or_default();
        open += package.open_counts();
    }
    let accepted = |all: usize, open: usize| all.saturating_sub(open);
    let (classic, v1) = (accepted(all.classic, open.classic), accepted(all.v1, open.v1));
    (classic + v1 > 0)
        .then(|| format!("accepted, for they were stuck before: {}", format_counts(classic, v1)))
}

#[derive(Serialize)]
struct Report<'a> {
    packages: Vec<PackageRow<'a>>,
}

#[derive(Serialize)]
struct PackageRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog: Option<&'a str>,
    package: &'a str,
    head: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classic: Option<ClassicRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    v1: Option<V1Row<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<TemplateRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupRow<'a>>>,
}

/// Template, and whether it can express a remedy.
#[derive(Serialize)]
struct TemplateRow {
    path: String,
    expressible: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClassicRow<'a> {
    stuck: Vec<&'a str>,
    needs_channel_change: Vec<&'a str>,
}

#[derive(Serialize)]
struct V1Row<'a> {
    stuck: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupRow<'a> {
    engine: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    v1_refuses: Option<&'static str>,
    end: &'a str,
    versions: Vec<&'a str>,
    prerelease: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<Vec<&'a str>>,
    remedy: Option<RemedyRow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RemedyRow<'a> {
    edit: EditRow<'a>,
    frees: usize,
    by_channel_change: usize,
    remaining: usize,
}

#[derive(Serialize)]
struct EditRow<'a> {
    channel: &'a str,
    entry: &'a str,
    field: &'static str,
    value: &'a str,
}

fn bundle_name_strs(names: &[BundleName]) -> Vec<&str> {
    names.iter().map(BundleName::as_str).collect()
}

/// Returns packages as a value for JSON (`docs/cli.md`).
pub fn stuck_packages_json(packages: &[StuckPackage]) -> impl Serialize + use<'_> {
    let mut sorted: Vec<&StuckPackage> = packages.iter().collect();
    sorted.sort_by(|a, b| (&a.catalog, &a.stuck.package).cmp(&(&b.catalog, &b.stuck.package)));
    Report { packages: sorted.into_iter().map(stuck_package_row).collect() }
}

fn stuck_package_row(package: &StuckPackage) -> PackageRow<'_> {
    let answer = package.stuck.answer.as_ref();
    PackageRow {
        catalog: package.catalog.as_deref(),
        package: package.stuck.package.as_str(),
        head: answer.map(|answer| answer.head.as_str()),
        versions: answer.map(|_| package.stuck.versions),
        classic: answer.map(|answer| ClassicRow {
            stuck: bundle_name_strs(&answer.classic),
            needs_channel_change: bundle_name_strs(&answer.needs_channel_change),
        }),
        v1: answer.map(|answer| V1Row { stuck: bundle_name_strs(&answer.v1) }),
        template: answer.and(package.template.as_ref()).map(|template| TemplateRow {
            path: template.display_path.display().to_string(),
            expressible: template.kind != Some(TemplateKind::Semver),
        }),
        groups: answer.map(|_| {
            groups_with_remedies(package)
                .map(|(group, remedy)| stuck_group_row(package, group, remedy))
                .collect()
        }),
    }
}

fn groups_with_remedies(package: &StuckPackage) -> impl Iterator<Item = (&StuckGroup, Option<&Remedy>)> {
    let groups = package.stuck.answer.iter().flat_map(|answer| &answer.groups);
    groups.zip(package.remedies.iter().map(|remedy| remedy.as_ref().ok()).chain(std::iter::repeat(None)))
}

fn stuck_group_row<'a>(
    package: &StuckPackage,
    group: &'a StuckGroup,
    remedy: Option<&'a Remedy>,
) -> GroupRow<'a> {
    let accepted = || group.versions.iter().filter(|name| package.is_accepted(group.engine, name));
    GroupRow {
        engine: group.engine.as_str(),
        reason: group.reason.id(),
        v1_refuses: group.v1_refusal.map(InstallBlockerKind::as_str),
        end: group.end.as_str(),
        versions: bundle_name_strs(&group.versions),
        prerelease: group.is_prerelease,
        accepted: package.accepted.as_ref().map(|_| accepted().map(BundleName::as_str).collect()),
        remedy: remedy.map(|remedy| RemedyRow {
            edit: EditRow {
                channel: remedy.channel.as_str(),
                entry: remedy.entry.as_str(),
                field: remedy.field.as_str(),
                value: &remedy.value,
            },
            frees: remedy.frees,
            by_channel_change: remedy.frees_by_channel_change,
            remaining: remedy.remaining,
        }),
    }
}

/// Returns the number of stuck versions: `0`, or as [`format_counts`].
pub fn format_stuck_numbers(stuck: &StuckReport) -> String {
    format_stuck_total(std::iter::once(stuck))
}

/// Returns the number of stuck versions of several packages.
pub fn format_stuck_total<'a>(packages: impl Iterator<Item = &'a StuckReport>) -> String {
    match sum_stuck(packages) {
        (0, 0) => "0".to_owned(),
        (classic, v1) => format_counts(classic, v1),
    }
}

/// Formats the numbers of versions that are stuck on Classic and on v1 for a title: `141 stuck`,
/// `v1 4 stuck`, `Classic 194, v1 195 stuck`.
pub fn format_stuck_title(classic: usize, v1: usize) -> String {
    match (classic, v1) {
        (0, 0) => "0 stuck".to_owned(),
        (classic, v1) => format!("{} stuck", format_counts(classic, v1)),
    }
}

/// Returns the numbers of stuck versions of several packages on Classic and on v1.
fn sum_stuck<'a>(packages: impl Iterator<Item = &'a StuckReport>) -> (usize, usize) {
    packages.fold((0, 0), |(classic, v1), package| {
        (classic + package.count_stuck(Engine::Classic), v1 + package.count_stuck(Engine::V1))
    })
}

/// Returns a line per group of stuck versions: `8 end at 3.16.5: its channel ends here`. Equal
/// groups are merged.
pub fn stuck_group_lines(
    stuck: &StuckReport,
    short: impl Fn(&BundleName) -> String,
) -> impl Iterator<Item = String> {
    iterate_merged_groups(stuck).map(move |(_, folded)| {
        let group = folded.group;
        let note = if group.is_prerelease { ", in pre-release channels only" } else { "" };
        let engine = engine_suffix(&folded);
        format!(
            "{} at {}{engine}: {}{}{note}",
            format_end_count(group.versions.len()),
            short(&group.end),
            group.reason.short_text(),
            describe_refusal(folded.v1_refusal)
        )
    })
}

/// Returns the number of groups. Equal groups of both engines count once.
pub fn count_groups(stuck: &StuckReport) -> usize {
    iterate_merged_groups(stuck).count()
}

/// Group, possibly shared by both engines.
struct MergedGroup<'a> {
    group: &'a StuckGroup,
    remedy: Result<&'a Remedy, RemedyError>,
    is_both: bool,
    v1_refusal: Option<InstallBlockerKind>,
}

impl MergedGroup<'_> {
    /// Returns the reason why upgrades end there, and that v1 refuses the bundle anyway.
    fn describe_reason(&self) -> String {
        format!("{}{}", self.group.reason, describe_refusal(self.v1_refusal))
    }
}

/// Describes that v1 refuses what it picks at the end of upgrades. The cluster then reports an error.
fn describe_refusal(refusal: Option<InstallBlockerKind>) -> String {
    refusal.map_or_else(String::new, |kind| format!("; v1 refuses its pick there ({})", kind.brief()))
}

/// Returns the groups of a package. Equal groups of both engines are merged.
fn merge_equal_groups(package: &StuckPackage) -> Vec<MergedGroup<'_>> {
    let groups = iterate_merged_groups(&package.stuck);
    groups
        .map(|(at, group)| match package.remedies.get(at) {
            Some(remedy) => MergedGroup { remedy: remedy.as_ref().map_err(|reason| *reason), ..group },
            None => group,
        })
        .collect()
}

/// Iterates over the groups with their indexes, without remedies. Equal groups of both engines are
/// merged.
fn iterate_merged_groups(stuck: &StuckReport) -> impl Iterator<Item = (usize, MergedGroup<'_>)> {
    let no_remedy = Err(RemedyError::NoneFrees);
    let answers = stuck.answer.iter();
    let groups = answers.flat_map(|answer| answer.groups.iter().enumerate().map(move |it| (answer, it)));
    groups.filter_map(move |(answer, (at, group))| {
        let other = match group.engine {
            Engine::Classic => Engine::V1,
            Engine::V1 => Engine::Classic,
        };
        let equal = answer.group_index(other, group.end.as_str()).and_then(|at| answer.groups.get(at));
        let equal = equal.filter(|other| other.end == group.end && other.versions == group.versions);
        let is_repeated = equal.is_some() && group.engine == Engine::V1;
        let v1_refusal = group.v1_refusal.or(equal.and_then(|group| group.v1_refusal));
        (!is_repeated)
            .then_some((at, MergedGroup { group, remedy: no_remedy, is_both: equal.is_some(), v1_refusal }))
    })
}

fn engine_suffix(folded: &MergedGroup<'_>) -> &'static str {
    match (folded.is_both, folded.group.engine) {
        (true, _) => "",
        (false, Engine::Classic) => " on Classic",
        (false, Engine::V1) => " on v1",
    }
}

/// Lists the first versions of a group and the number of the others.
fn list_group_versions(group: &StuckGroup) -> String {
    let mut names = bundle_name_strs(&group.versions);
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let names = names.join(", ");
    if more == 0 { names } else { format!("{names} and {more} more") }
}

/// Description of a group of stuck versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GroupDescription {
    /// `3 end at p.v1 on Classic`.
    pub ends: String,
    /// Reason why upgrades end there.
    pub reason: String,
    /// First versions, and the number of the others.
    pub versions: String,
    /// Remedy and its effect, or that there is none.
    pub remedy: String,
    /// True if all versions are only in pre-release channels.
    pub is_prerelease: bool,
}

/// Describes the groups of a package. Equal groups of both engines are merged.
pub(super) fn describe_groups(package: &StuckPackage) -> Vec<GroupDescription> {
    let words = |folded: MergedGroup<'_>| GroupDescription {
        ends: format!(
            "{} at {}{}",
            format_end_count(folded.group.versions.len()),
            folded.group.end,
            engine_suffix(&folded)
        ),
        reason: folded.describe_reason(),
        versions: list_group_versions(folded.group),
        remedy: describe_group_remedy(folded.remedy).text,
        is_prerelease: folded.group.is_prerelease,
    };
    merge_equal_groups(package).into_iter().map(words).collect()
}

/// Renders the packages for people, those with most stuck versions first.
pub fn render_stuck_packages(packages: &[StuckPackage], style: &Style) -> String {
    let mut out = String::new();
    for package in sort_by_stuck_count(packages) {
        if package.stuck.answer.is_none() {
            let words = format!(
                "{}: unknown: the default channel has no single head with a bundle",
                stuck_package_label(package)
            );
            out.push_str(&wrap::wrap_hanging(&words, "", "  ", style.width));
            continue;
        }
        if package.stuck.count_any() == 0 {
            continue;
        }
        let words = format!(
            "{}: {}",
            stuck_package_label(package),
            stuck_sentences::summarize_package_stuck(&package.stuck)
        );
        out.push_str(&wrap::wrap_hanging(&words, "", "  ", style.width));
        if let Some(remedy) = &package.shared_remedy {
            let words = format!("remedy of all {}: {remedy} ({})", remedy.frees, remedy.effect());
            out.push_str(&style.paint_wrapped(Ink::Good, &words, "  ", "    "));
        }
        for folded in merge_equal_groups(package) {
            let group = folded.group;
            let note = if group.is_prerelease { ", in pre-release channels only" } else { "" };
            let words = format!(
                "{} at {}{}{note}: {}",
                format_end_count(group.versions.len()),
                group.end,
                engine_suffix(&folded),
                folded.describe_reason()
            );
            out.push_str(&wrap::wrap_hanging(&words, "  ", "    ", style.width));
            out.push_str(&wrap::wrap_hanging(&list_group_versions(group), "    ", "    ", style.width));
            let Piece { text, ink } = describe_group_remedy(folded.remedy);
            out.push_str(&style.paint_wrapped(ink, &text, "    ", "      "));
        }
        if let Some(words) = describe_template_edit(package) {
            out.push_str(&wrap::wrap_hanging(&words, "  ", "    ", style.width));
        }
    }
    let _ = writeln!(out, "{}", summarize_stuck_packages(packages));
    out
}

/// Formats a number with its verb: `1 ends`, `3 end`.
fn format_end_count(count: usize) -> String {
    format!("{count} {}", end_verb(count))
}

/// Returns `ends` or `end`.
pub(super) fn end_verb(count: usize) -> &'static str {
    if count == 1 { "ends" } else { "end" }
}

fn describe_group_remedy(remedy: Result<&Remedy, RemedyError>) -> Piece {
    match remedy {
        Ok(remedy) => piece(format!("remedy: {remedy} ({})", remedy.effect()), Ink::Good),
        Err(reason) => piece(summarize_missing_remedy(reason), Ink::Note),
    }
}

/// Returns where to edit a generated package. `None` without a template or a remedy.
pub(super) fn describe_template_edit(package: &StuckPackage) -> Option<String> {
    let TemplateSource { display_path: shown, kind, .. } = package.template.as_ref()?;
    let template = shown.display();
    package.remedies.iter().flatten().next()?;
    Some(match kind {
        Some(TemplateKind::Semver) => format!(
            "{template} generates the package, and an olm.semver template cannot express an edit of one entry"
        ),
        _ => format!("{template} generates the package: make the edit there"),
    })
}

fn stuck_package_label(package: &StuckPackage) -> String {
    match &package.catalog {
        Some(catalog) => format!("{catalog} {}", package.stuck.package),
        None => package.stuck.package.to_string(),
    }
}

pub(super) fn sort_by_stuck_count(packages: &[StuckPackage]) -> Vec<&StuckPackage> {
    let mut sorted: Vec<&StuckPackage> = packages.iter().collect();
    sorted.sort_by_key(|package| std::cmp::Reverse(package.stuck.count_any()));
    sorted
}

/// Summarizes the result in a sentence. Packages without an answer are counted as unknown.
pub fn summarize_stuck_packages(packages: &[StuckPackage]) -> String {
    let with = packages.iter().filter(|package| package.stuck.count_any() > 0).count();
    let unknown = packages.iter().filter(|package| package.stuck.answer.is_none()).count();
    let plural = |count: usize| if count == 1 { "package" } else { "packages" };
    let all = packages.len();
    if all == 0 {
        return "no package was checked".to_owned();
    }
    let numbers = format_stuck_total(packages.iter().map(|package| &package.stuck));
    let mut words = format!("stuck versions: {numbers}, in {with} of {all} {}", plural(all));
    if unknown > 0 {
        let _ = write!(words, "; {unknown} {} unknown", plural(unknown));
    }
    if let Some(accepted) = describe_accepted(packages) {
        let _ = write!(words, "; {accepted}");
    }
    words
}

/// Renders the packages as a comment on a pull request.
pub fn render_stuck_comment(packages: &[StuckPackage]) -> String {
    let mut out = format!("**{}**\n", summarize_stuck_packages(packages));
    for package in sort_by_stuck_count(packages) {
        if package.stuck.count_any() == 0 && package.stuck.answer.is_some() {
            continue;
        }
        let Some(answer) = &package.stuck.answer else {
            let _ = write!(
                out,
                "\n- {}: unknown, the default channel has no single head with a bundle\n",
                escape_markdown(&stuck_package_label(package))
            );
            continue;
        };
        let _ = write!(
            out,
            "\n- {}: {} of {} stuck below {}\n",
            escape_markdown(&stuck_package_label(package)),
            format_stuck_numbers(&package.stuck),
            package.stuck.versions,
            escape_markdown(answer.head.as_str())
        );
        for folded in merge_equal_groups(package) {
            let _ = writeln!(
                out,
                "  - {} at {}{}: {}. {}",
                format_end_count(folded.group.versions.len()),
                escape_markdown(folded.group.end.as_str()),
                engine_suffix(&folded),
                folded.describe_reason(),
                escape_markdown(&describe_group_remedy(folded.remedy).text)
            );
        }
        if let Some(words) = describe_template_edit(package) {
            let _ = writeln!(out, "  - {}", escape_markdown(&words));
        }
    }
    truncate_characters(&out, MAX_BYTES)
}
