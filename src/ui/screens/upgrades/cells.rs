//! Short texts for the cells of the upgrade table.

use crate::ui::{
    parts::{answers::safety_role, lists::bundle_short_name},
    theme::Role,
};
use olm_catalog::package::Package;
use olm_upgrade::{
    DependencyResult, Engine, UpgradeRow,
    resolve::SinglePackageAnswer,
    safety::{PackageSafety, Verdict},
    table::{NextUpgrade, PathEnd},
};

/// Returns the pick of Classic if dependencies are considered.
pub(super) fn resolved_text(package: &Package, alone: Option<&SinglePackageAnswer>) -> (String, Role) {
    match alone.map(|alone| &alone.solved) {
        None => (String::new(), Role::Dim),
        Some(None) => ("?".to_owned(), Role::Dim),
        Some(Some(DependencyResult::Nothing)) => ("blocked".to_owned(), Role::Error),
        Some(Some(DependencyResult::Stays)) => ("stays".to_owned(), Role::Warning),
        Some(Some(DependencyResult::Bundle(name))) => (bundle_short_name(package, name), Role::Warning),
    }
}

/// Returns the safety of the next steps of a row. One word is enough if both OLMs agree or only one
/// upgrades.
pub(super) fn safety_text(safety: &PackageSafety, row: &UpgradeRow, narrow: bool) -> (String, Role) {
    let verdict = |next: &NextUpgrade, engine: Engine| {
        Some(
            safety
                .find_step(&row.installed.name, next.target()?)
                .map_or(Verdict::Unknown, |step| step.verdict_for(engine)),
        )
    };
    let word = |verdict: Verdict| match verdict {
        Verdict::Safe => "safe",
        Verdict::NeedsALook => "look",
        Verdict::Unknown => "?",
        _ => "NO",
    };
    match (verdict(&row.classic, Engine::Classic), verdict(&row.v1, Engine::V1)) {
        (None, None) => ("-".to_owned(), Role::Dim),
        (Some(classic), Some(v1)) if classic != v1 => {
            let worst = classic.max(v1);
            let both = || format!("C {}, v1 {}", word(classic), word(v1));
            (if narrow { word(worst).to_owned() } else { both() }, safety_role(worst))
        }
        (Some(one), _) | (None, Some(one)) => {
            (word(one).to_owned(), if one == Verdict::Safe { Role::Dim } else { safety_role(one) })
        }
    }
}

pub(super) fn next_text(package: &Package, next: &NextUpgrade) -> String {
    match next {
        NextUpgrade::Stays => "stays".to_owned(),
        NextUpgrade::To(name) => bundle_short_name(package, name),
        NextUpgrade::Error(_) => "error".to_owned(),
    }
}

pub(super) fn path_end_text(package: &Package, end: &PathEnd) -> String {
    match end.hops {
        0 => "-".to_owned(),
        hops => format!("{} +{hops}", bundle_short_name(package, &end.name)),
    }
}
