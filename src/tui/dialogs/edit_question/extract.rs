//! Question for the part of a catalog to extract: packages, channels and ranges, and their
//! dependencies.

use std::collections::HashSet;

use crate::tui::{
    dialogs::edit_question::EditQuestion,
    parts::{completions::best_matches, field::InputError},
    session::{Session, context::ViewContext},
    widgets::{
        canvas::{Line, piece, text_piece, wrap_text},
        lists::bundle_short_name,
        preview::{consequence_lines, preview_state_lines},
        text::{format_count, format_entry_count},
        theme::Ink,
    },
    work::PreviewState,
};
use olm_catalog::{Catalog, ChannelName, PackageName};
use olm_check::{
    Finding,
    review::{ChangedUpgrade, Consequences, FreshInstallChange},
};
use olm_plan::extract::{self, ExtractError, ExtractOptions, ExtractPlan, ExtractRequest};
use olmap_report::extraction::{ExtractRemarkKind, package_remarks};

/// Separator of the wishes. Ranges contain spaces and commas themselves.
const BETWEEN: char = ';';
/// Maximum number of proposals.
const MAX_PROPOSALS: usize = 5;

impl EditQuestion {
    /// Plans the extract. The preview of upgrade changes takes longer and follows in the
    /// background.
    pub(super) fn update_extract_preview(&mut self, session: &Session) {
        self.extract_plan = None;
        self.preview = PreviewState::NoEdit;
        let Some(snapshot) = session.snapshot() else { return };
        self.proposals = propose_wishes(&snapshot.catalog, self.trimmed_input());
        match plan_extract(&snapshot.catalog, self.trimmed_input()) {
            Ok(planned) => {
                self.note = Ok(describe_extract(&planned, &snapshot.catalog));
                self.preview = session.preview_state(planned.edit.clone());
                self.extract_plan = Some(Box::new(planned));
            }
            Err(ExtractError::EmptyRequest) => {
                self.note =
                    Ok("PACKAGE, PACKAGE:CHANNEL or PACKAGE:CHANNEL:RANGE, several with ; between"
                        .to_owned());
            }
            // An incomplete name is not an error.
            Err(ExtractError::NoPackage { .. } | ExtractError::NoChannel { .. })
                if !self.proposals.is_empty() =>
            {
                self.note = Ok(String::new());
            }
            Err(fault) => {
                let mistake = InputError::from(fault.to_string());
                self.note = Err(match fault.hint() {
                    Some(hint) => mistake.with_hint(hint),
                    None => mistake,
                });
            }
        }
    }
}

fn plan_extract(catalog: &Catalog, typed: &str) -> Result<ExtractPlan, ExtractError> {
    let package = |name: &str| catalog.package(name).map(|package| &**package);
    let texts = typed.split(BETWEEN).map(str::trim).filter(|text| !text.is_empty());
    let wishes = texts.map(|text| ExtractRequest::parse(text, package)).collect::<Result<Vec<_>, _>>()?;
    extract::plan_extract(catalog, &wishes, &ExtractOptions::default())
}

fn describe_extract(planned: &ExtractPlan, catalog: &Catalog) -> String {
    let bundles: usize = planned.packages.iter().map(|taken| taken.bundles).sum();
    let all: usize = catalog.packages().map(|package| package.bundles.len()).sum();
    let packages = planned.packages.len();
    let of = catalog.packages().len();
    format!("{packages} of {of} packages, {bundles} of {all} bundles stay")
}

/// Completes the last wish with packages, or with channels of its package.
fn propose_wishes(catalog: &Catalog, typed: &str) -> Vec<String> {
    let (before, last) = match typed.rsplit_once(BETWEEN) {
        Some((before, last)) => (format!("{before}{BETWEEN} "), last.trim_start()),
        None => (String::new(), typed),
    };
    let found: Vec<String> = match last.split_once(':') {
        None => {
            let names = catalog.packages().map(|package| package.name.as_str());
            let names = names.filter(|name| !name.is_empty() && *name != last);
            best_matches(names, last, MAX_PROPOSALS).into_iter().map(str::to_owned).collect()
        }
        Some((name, channel)) => {
            let channels = catalog.package(name.trim()).into_iter().flat_map(|package| &package.channels);
            let names = channels.map(|channel| channel.name.value.as_str()).filter(|name| *name != channel);
            best_matches(names, channel, MAX_PROPOSALS)
                .into_iter()
                .map(|channel| format!("{name}:{channel}"))
                .collect()
        }
    };
    found.into_iter().map(|found| format!("{before}{found}")).collect()
}

/// Maximum number of channels listed on their own lines.
const MAX_CHANNELS: usize = 8;

/// Lists what stays and, once known, the consequences for it.
pub fn extract_lines(
    view_cx: &ViewContext<'_>,
    planned: &ExtractPlan,
    known: &PreviewState,
    columns: usize,
) -> Vec<Line> {
    let mut lines = planned_lines(view_cx, planned, columns);
    match known {
        PreviewState::Ready(Ok(outcome)) => {
            let few = kept_consequences(&outcome.consequences, planned);
            lines.extend(consequence_lines(view_cx, &few, outcome, columns));
        }
        other => lines.extend(preview_state_lines(view_cx, other, columns)),
    }
    lines
}

/// Keeps only the consequences for channels that stay. The others are removed on purpose.
fn kept_consequences(all: &Consequences, planned: &ExtractPlan) -> Consequences {
    let names: HashSet<&PackageName> = planned.packages.iter().map(|taken| &taken.package).collect();
    let channels: HashSet<(&PackageName, &ChannelName)> = planned
        .packages
        .iter()
        .flat_map(|taken| taken.channels.iter().map(|channel| (&taken.package, &channel.name)))
        .collect();
    let stays = |package: &PackageName, channel: Option<&ChannelName>| match channel {
        Some(channel) => channels.contains(&(package, channel)),
        None => names.contains(package),
    };
    let is_about = |finding: &&Finding| finding.package.as_ref().is_none_or(|name| names.contains(name));
    let mut harm = all.harm.clone();
    let keep = |moved: &mut Vec<ChangedUpgrade>| moved.retain(|m| stays(&m.package, m.channel.as_ref()));
    harm.stuck.retain(|(package, _)| names.contains(package));
    [&mut harm.failing, &mut harm.downgraded].into_iter().for_each(keep);
    let keep = |fresh: &mut Vec<FreshInstallChange>| fresh.retain(|f| stays(&f.package, f.channel.as_ref()));
    [&mut harm.fresh_broken, &mut harm.fresh_older].into_iter().for_each(keep);
    Consequences {
        harm,
        new_findings: all.new_findings.iter().filter(is_about).cloned().collect(),
        changed_steps: all
            .changed_steps
            .iter()
            .filter(|m| stays(&m.package, m.channel.as_ref()))
            .cloned()
            .collect(),
        fresh: all.fresh.iter().filter(|f| stays(&f.package, f.channel.as_ref())).cloned().collect(),
        ..Consequences::default()
    }
}

/// Lists the content of each kept channel, with notes.
fn planned_lines(view_cx: &ViewContext<'_>, planned: &ExtractPlan, columns: usize) -> Vec<Line> {
    let Some(snapshot) = view_cx.session.snapshot() else { return Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    let channels = planned.packages.iter().flat_map(|taken| taken.channels.iter().map(move |c| (taken, c)));
    for (taken, channel) in channels.clone().take(MAX_CHANNELS) {
        let package = snapshot.catalog.package(taken.package.as_str());
        let head = match (&channel.head, package) {
            (Some(head), Some(package)) => format!(", head {}", bundle_short_name(package, head)),
            _ => String::new(),
        };
        let is_default = taken.default_channel.as_ref() == Some(&channel.name);
        let much = match channel.total_entries - channel.entries.min(channel.total_entries) {
            0 => format_entry_count(channel.entries),
            _ => format!("{} of {}", channel.entries, format_entry_count(channel.total_entries)),
        };
        let name = format!("{} {}", taken.package, channel.name);
        lines.push(vec![
            piece(name, Ink::Title),
            piece(if is_default { " (default)" } else { "" }, Ink::Dim),
            text_piece(format!("  {much}{head}")),
        ]);
    }
    let more = channels.count().saturating_sub(MAX_CHANNELS);
    if more > 0 {
        lines.push(vec![piece(format!("and {} more", format_count(more, "channel")), Ink::Dim)]);
    }
    for said in package_remarks(&planned.packages, &snapshot.catalog) {
        let ink = match said.kind {
            ExtractRemarkKind::Note => Ink::Text,
            ExtractRemarkKind::Outside | ExtractRemarkKind::Changed => Ink::Warning,
        };
        let about = said.package.map(|package| format!("{package}: ")).unwrap_or_default();
        let words = format!("{about}{}", said.words);
        lines.extend(wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, ink)]));
    }
    lines
}
