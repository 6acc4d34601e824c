//! Upgrade of the selected bundle by OLM v1, which chooses between the catalogs of a cluster.

use crate::tui::{
    session::{cluster_members::ClusterUpgrade, context::ViewContext},
    widgets::{
        answers::add_reason,
        canvas::{Line, display_width, hanging_lines, pad, piece, text_piece, wrap_text},
        lists::bundle_short_name,
        theme::Ink,
    },
};
use olm_check::review::PackageState;
use olm_upgrade::{
    Engine,
    cluster::{CatalogOutcome, ClusterError, ConsideredCatalog},
};

/// Maximum columns of the names of catalogs.
const MAX_NAME_COLUMNS: usize = 24;

/// Minimum columns of a reason next to a catalog; otherwise it is on the next line.
const MIN_REASON_COLUMNS: usize = 30;

/// Returns the answer and its reason. The pick names its catalog.
pub fn answer_lines(
    package_state: &PackageState,
    cluster: &ClusterUpgrade,
    columns: usize,
    ascii: bool,
) -> Vec<Line> {
    let answer = &cluster.answer;
    let mut head = vec![piece("v1       ", Ink::V1)];
    let own = answer.installed.as_ref().map(|installed| &installed.name);
    if let Some(error) = &answer.error {
        let ink = if matches!(error, ClusterError::CatalogNotGiven(_)) { Ink::Warning } else { Ink::Error };
        head.push(piece(error.brief(), ink));
        if let Some(pick) = &answer.pick {
            let name = bundle_short_name(package_state.package(), pick.bundle_name());
            head.push(text_piece(format!(": picks {name} from {}", pick.catalog.name)));
        }
    } else if let Some(pick) = &answer.pick {
        let arrow = if ascii { "-> " } else { "→ " };
        let (verb, ink) = match own {
            Some(own) if own == pick.bundle_name() => ("stays", Ink::Text),
            _ if answer.is_downgrade() => (Engine::V1.downgrade_verb(), Ink::Error),
            _ => (arrow.trim_end(), Ink::Dim),
        };
        head.push(piece(verb, ink));
        if own != Some(pick.bundle_name()) {
            let name = pick.version_text().map_or_else(
                || bundle_short_name(package_state.package(), pick.bundle_name()),
                str::to_owned,
            );
            head.push(piece(format!(" {name}"), Ink::Title));
        }
        head.push(text_piece(format!(" from {}", pick.catalog.name)));
    }
    add_reason(head, &answer.reason(), columns)
}

/// Returns what blocks the pick, and the notes on the answer.
pub fn remark_lines(cluster: &ClusterUpgrade, columns: usize) -> Vec<Line> {
    let answer = &cluster.answer;
    let blocked = answer.blocked.iter().map(|blocked| format!("but on a cluster: {}", blocked.text));
    let notes = answer.find_notes();
    let remarks = blocked.chain(notes.iter().map(ToString::to_string));
    let wrapped = remarks.flat_map(|text| wrap_text(&format!("         {text}"), columns));
    wrapped.map(|line| vec![piece(line, Ink::Warning)]).collect()
}

/// Lists the catalogs of the cluster with the outcome of each.
pub fn catalog_lines(
    view_cx: &ViewContext<'_>,
    package_state: &PackageState,
    cluster: &ClusterUpgrade,
    columns: usize,
) -> Vec<Line> {
    let considered = &cluster.answer.considered;
    if considered.is_empty() {
        return Vec::new();
    }
    let title = "Catalogs of the cluster: the highest priority wins, whatever the version";
    let mut lines: Vec<Line> =
        wrap_text(title, columns).into_iter().map(|line| vec![piece(line, Ink::V1)]).collect();
    let subjects: Vec<[String; 4]> = considered
        .iter()
        .map(|one| {
            let candidate = one.outcome.candidate();
            let bundle = candidate.map(|candidate| {
                let version = candidate.version_text().map(str::to_owned);
                version.unwrap_or_else(|| bundle_short_name(package_state.package(), candidate.bundle_name()))
            });
            [
                one.outcome.json_word().replace('-', " "),
                one.catalog.name.clone(),
                one.catalog.priority.to_string(),
                bundle.unwrap_or_default(),
            ]
        })
        .collect();
    let widest = |at: usize| {
        subjects.iter().filter_map(|subject| subject.get(at)).map(|text| display_width(text)).max()
    };
    let widths = [0, 1, 2, 3].map(|at| widest(at).unwrap_or_default().min(MAX_NAME_COLUMNS));
    let used: usize = widths.iter().map(|width| width + 2).sum();
    for (one, [outcome, name, priority, bundle]) in considered.iter().zip(subjects) {
        let ink = outcome_ink(&one.outcome);
        let [wide_outcome, wide_name, wide_priority, wide_bundle] = widths;
        let head = vec![
            piece(format!("  {}  ", pad(&outcome, wide_outcome, false)), ink),
            text_piece(format!("{}  ", pad(&name, wide_name, false))),
            piece(format!("{priority:>wide_priority$}  "), Ink::Dim),
            text_piece(format!("{}  ", pad(&bundle, wide_bundle, false))),
        ];
        let why = explain_outcome(view_cx, one);
        if columns >= used + 2 + MIN_REASON_COLUMNS {
            lines.extend(hanging_lines(&head, &why, columns, Ink::Text));
        } else {
            lines.push(head);
            lines.extend(hanging_lines(&[text_piece("      ")], &why, columns, Ink::Text));
        }
    }
    lines
}

fn outcome_ink(outcome: &CatalogOutcome) -> Ink {
    match outcome {
        CatalogOutcome::Picked(_) => Ink::Good,
        CatalogOutcome::Ambiguous(_) | CatalogOutcome::NotServed(_) => Ink::Error,
        CatalogOutcome::NotGiven => Ink::Warning,
        _ => Ink::Dim,
    }
}

/// Returns the reason for the outcome of a catalog, with the location of a problem.
fn explain_outcome(view_cx: &ViewContext<'_>, one: &ConsideredCatalog) -> String {
    let catalogs = &view_cx.session.catalogs;
    let open = || {
        let member = catalogs.members().iter().find(|member| member.properties.name == one.catalog.name)?;
        catalogs.find(member.source.as_ref()?)
    };
    match (&one.outcome, open()) {
        (CatalogOutcome::NotServed(failure), Some(open)) => {
            let part = if failure.is_whole_catalog { "nothing of it" } else { "not the package" };
            let problem = failure.describe_problem(&open.visible_state().catalog);
            format!("the cluster serves {part}: {problem}")
        }
        (outcome, _) => outcome.to_string(),
    }
}
