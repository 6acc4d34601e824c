//! Short texts for the cells of the upgrade table.

use crate::{
    catalog::package::Package,
    resolve::Alone,
    ui::{
        parts::{answers::safety_role, lists::short},
        theme::Role,
    },
    upgrade::{
        Engine, Solved, UpgradeRow,
        safety::{PackageSafety, Verdict},
        table::{Next, PathEnd},
    },
};

/// Returns the pick of Classic if dependencies are considered.
pub(super) fn solved(package: &Package, alone: Option<&Alone>) -> (String, Role) {
    match alone.map(|alone| &alone.solved) {
        None => (String::new(), Role::Dim),
        Some(None) => ("?".to_owned(), Role::Dim),
        Some(Some(Solved::Nothing)) => ("blocked".to_owned(), Role::Error),
        Some(Some(Solved::Stays)) => ("stays".to_owned(), Role::Warning),
        Some(Some(Solved::Bundle(name))) => (short(package, name), Role::Warning),
    }
}

/// Returns the safety of the next steps of a row. One word is enough if both OLMs agree or only one
/// upgrades.
pub(super) fn safe(safety: &PackageSafety, row: &UpgradeRow, narrow: bool) -> (String, Role) {
    let verdict = |next: &Next, engine: Engine| {
        Some(
            safety
                .of(&row.installed.name, next.target()?)
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

pub(super) fn next(package: &Package, next: &Next) -> String {
    match next {
        Next::Stays => "stays".to_owned(),
        Next::To(name) => short(package, name),
        Next::Error(_) => "error".to_owned(),
    }
}

pub(super) fn end(package: &Package, end: &PathEnd) -> String {
    match end.hops {
        0 => "-".to_owned(),
        hops => format!("{} +{hops}", short(package, &end.name)),
    }
}
