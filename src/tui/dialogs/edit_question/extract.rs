//! Question for the part of a catalog to extract: packages, channels and ranges, and their
//! dependencies.

use super::EditQuestion;
use crate::tui::{
    parts::{completions::best_matches, input_error::InputError},
    session::Session,
    work::PreviewState,
};
use olm_catalog::Catalog;
use olm_plan::extract::{self, ExtractError, ExtractOptions, ExtractPlan, ExtractRequest};

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
