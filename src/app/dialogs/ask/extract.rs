//! Question for the part of a catalog to extract: packages, channels and ranges, and their
//! dependencies.

use super::Ask;
use crate::{
    app::{
        parts::{mistake::Mistake, proposing::best},
        session::Session,
        work::Prospect,
    },
    catalog::Catalog,
    plan::extract::{self, Fault, Options, Planned, Wish},
};

/// Separator of the wishes. Ranges contain spaces and commas themselves.
const BETWEEN: char = ';';
/// Maximum number of proposals.
const MOST: usize = 5;

impl Ask {
    /// Plans the extract. The preview of upgrade changes takes longer and follows in the
    /// background.
    pub(super) fn refresh_extract(&mut self, session: &Session) {
        self.planned = None;
        self.preview = Prospect::Nothing;
        let Some(snapshot) = session.snapshot() else { return };
        self.proposals = proposals(&snapshot.catalog, self.typed());
        match planned(&snapshot.catalog, self.typed()) {
            Ok(planned) => {
                self.remark = Ok(stays(&planned, &snapshot.catalog));
                self.preview = session.prospect(planned.edit.clone());
                self.planned = Some(Box::new(planned));
            }
            Err(Fault::Nothing) => {
                self.remark =
                    Ok("PACKAGE, PACKAGE:CHANNEL or PACKAGE:CHANNEL:RANGE, several with ; between"
                        .to_owned());
            }
            // An incomplete name is not an error.
            Err(Fault::NoPackage { .. } | Fault::NoChannel { .. }) if !self.proposals.is_empty() => {
                self.remark = Ok(String::new());
            }
            Err(fault) => {
                let mistake = Mistake::from(fault.to_string());
                self.remark = Err(match fault.hint() {
                    Some(hint) => mistake.with_hint(hint),
                    None => mistake,
                });
            }
        }
    }
}

fn planned(catalog: &Catalog, typed: &str) -> Result<Planned, Fault> {
    let package = |name: &str| catalog.package(name).map(|package| &**package);
    let texts = typed.split(BETWEEN).map(str::trim).filter(|text| !text.is_empty());
    let wishes = texts.map(|text| Wish::parse(text, package)).collect::<Result<Vec<_>, _>>()?;
    extract::plan(catalog, &wishes, &Options::default())
}

fn stays(planned: &Planned, catalog: &Catalog) -> String {
    let bundles: usize = planned.packages.iter().map(|taken| taken.bundles).sum();
    let all: usize = catalog.packages().map(|package| package.bundles.len()).sum();
    let packages = planned.packages.len();
    let of = catalog.packages().len();
    format!("{packages} of {of} packages, {bundles} of {all} bundles stay")
}

/// Completes the last wish with packages, or with channels of its package.
fn proposals(catalog: &Catalog, typed: &str) -> Vec<String> {
    let (before, last) = match typed.rsplit_once(BETWEEN) {
        Some((before, last)) => (format!("{before}{BETWEEN} "), last.trim_start()),
        None => (String::new(), typed),
    };
    let found: Vec<String> = match last.split_once(':') {
        None => {
            let names = catalog.packages().map(|package| package.name.as_str());
            let names = names.filter(|name| !name.is_empty() && *name != last);
            best(names, last, MOST).into_iter().map(str::to_owned).collect()
        }
        Some((name, channel)) => {
            let channels = catalog.package(name.trim()).into_iter().flat_map(|package| &package.channels);
            let names = channels.map(|channel| channel.name.value.as_str()).filter(|name| *name != channel);
            best(names, channel, MOST).into_iter().map(|channel| format!("{name}:{channel}")).collect()
        }
    };
    found.into_iter().map(|found| format!("{before}{found}")).collect()
}
