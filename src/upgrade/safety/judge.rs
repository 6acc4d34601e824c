//! Two bundles judged as one step.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Findings,
    facts::{Facts, StoredSince},
};
use crate::bundle::{
    compare::{Comparison, Concern, ConcernKind, Fate, RowDifference},
    crd::{Classic, Compared, Field, Place, Validation, compare_sets, groups},
    inside::{Part, Spot},
    manifests::Found,
};

/// What one of the two refuses of a CRD.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CrdRefusal {
    /// `widgets.example.com`.
    pub crd: String,
    /// The worst of it.
    pub words: String,
    /// Whether a version goes that objects may be stored in.
    pub is_storage: bool,
    /// How many more problems there are.
    pub more: usize,
    /// Where it is in the new bundle, else in the old one.
    pub place: Option<Place>,
    /// What existing resources it would break.
    pub breaks: Cow<'static, str>,
    /// What to do.
    pub advice: Cow<'static, str>,
}

impl std::fmt::Display for CrdRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.crd, self.words)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Something that somebody should look at before the step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Look {
    /// What it is.
    pub kind: LookKind,
    /// In words.
    pub words: String,
    /// Number of further changes of the same kind.
    #[serde(default)]
    pub more: usize,
    /// Where it stands.
    pub place: Option<Place>,
}

impl std::fmt::Display for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Sorts of things to look at, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LookKind {
    /// Objects may still be stored in a version that is gone, on clusters that began with an older bundle.
    StoredSince,
    /// An API goes that another package of the catalog requires.
    RequiredApiGoes,
    /// An API or a version of it goes.
    ApiGoes,
    /// The operator may do more than before.
    PermissionsGrow,
    /// An install mode goes.
    InstallModeGoes,
    /// A webhook appears.
    WebhookAppears,
    /// Something must be on the cluster that had not to be, or the versions it runs on change.
    RequirementAppears,
    /// An object goes, or is called otherwise.
    ObjectGoes,
    /// The bundle or its images come from somewhere else.
    ImagesMove,
}

impl LookKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::StoredSince,
        Self::RequiredApiGoes,
        Self::ApiGoes,
        Self::PermissionsGrow,
        Self::InstallModeGoes,
        Self::WebhookAppears,
        Self::RequirementAppears,
        Self::ObjectGoes,
        Self::ImagesMove,
    ];

    /// Its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::StoredSince => "stored-since",
            Self::RequiredApiGoes => "required-api-goes",
            Self::ApiGoes => "api-goes",
            Self::PermissionsGrow => "permissions-grow",
            Self::InstallModeGoes => "install-mode-goes",
            Self::WebhookAppears => "webhook-appears",
            Self::RequirementAppears => "requirement-appears",
            Self::ObjectGoes => "object-goes",
            Self::ImagesMove => "images-move",
        }
    }
}

/// Judges a step. `stored`: the versions that the old bundle's CRDs may be stored in, as far back as the graph goes; `others`:
/// what other packages lose.
pub(super) fn judge(old: &Facts, new: &Facts, stored: Option<&StoredSince>, others: Vec<Look>) -> Findings {
    let mut findings = Findings { looks: others, ..Findings::default() };
    crds(old, new, &mut findings);
    findings.looks.extend(stored.into_iter().flat_map(|stored| stored_before(old, new, stored)));
    let comparison = Comparison::between(&old.inside, &new.inside);
    findings.looks.extend(comparison.concerns.iter().filter_map(|one| concern(one, &new.found)));
    findings.looks.extend(grown(&comparison, &new.found));
    findings.looks.extend(images(old, new));
    findings.looks.sort_by_key(|look| look.kind);
    findings
}

/// Most steps change no CRD: those are not taken apart.
fn crds(old: &Facts, new: &Facts, findings: &mut Findings) {
    let differs = old
        .crds
        .iter()
        .any(|(name, before)| new.crds.get(name).is_some_and(|after| before.content != after.content));
    if !differs {
        return;
    }
    let (before, after) = (old.crd_set(), new.crd_set());
    for compared in compare_sets(&before, &after).crds {
        findings.v1.extend(v1(&compared));
        findings.classic.extend(classic(&compared.name, &compared.classic));
    }
    // What stands for objects of a catalog is in no file.
    if old.found.shown.is_none() || new.found.shown.is_none() {
        for refusal in findings.v1.iter_mut().chain(&mut findings.classic) {
            refusal.place = None;
        }
    }
}

fn v1(compared: &Compared) -> Option<CrdRefusal> {
    let crd = compared.name.clone();
    match &compared.v1 {
        Err(error) => Some(CrdRefusal {
            crd,
            words: format!("not compared: {error}"),
            is_storage: false,
            more: 0,
            place: None,
            breaks: "".into(),
            advice: "".into(),
        }),
        Ok(comparison) => {
            let folded = groups(&comparison.findings);
            let worst = folded.first()?;
            let first = worst.first;
            let field = worst.fields.first().map(Field::name).filter(|name| !name.is_empty());
            let words = match (first.validation, field) {
                (Validation::ExistingFieldRemoval, Some(field)) => format!("{field} is removed"),
                (_, Some(field)) => format!("{field}: {}", first.message),
                (_, None) => first.message.clone(),
            };
            let place = worst.fields.first().and_then(|field| field.new.or(field.old)).cloned();
            Some(CrdRefusal {
                crd,
                words,
                is_storage: first.validation == Validation::StoredVersionRemoval,
                more: folded.len() - 1 + worst.fields.len().saturating_sub(1),
                place: place.or_else(|| first.new.clone()).or_else(|| first.old.clone()),
                breaks: first.breaks().into(),
                advice: first.advice().into(),
            })
        }
    }
}

fn classic(crd: &str, classic: &Classic) -> Option<CrdRefusal> {
    if !classic.refuses() {
        return None;
    }
    let refusal = |words: String, more, place, breaks: &'static str, advice: &'static str| CrdRefusal {
        crd: crd.to_owned(),
        words,
        is_storage: !classic.stored_removed.is_empty(),
        more,
        place,
        breaks: breaks.into(),
        advice: advice.into(),
    };
    if let [first, rest @ ..] = classic.stored_removed.as_slice() {
        return Some(refusal(
            format!("stored version {first} is removed"),
            rest.len(),
            None,
            "objects may still be stored in this version, and without it the API server cannot read them",
            "keep the version with served: false until all objects are rewritten and status.storedVersions is pruned",
        ));
    }
    let first = classic.examples.first()?;
    let name = if first.name.is_empty() { String::new() } else { format!(" {}", first.name) };
    Some(refusal(
        format!("the old example{name} is no longer valid: {}: {}", first.field, first.message),
        classic.examples.len() - 1,
        first.place.clone(),
        "an install plan stops at the first resource like this",
        "accept in the new schema what the old one accepted",
    ))
}

/// Versions that are gone, and that were the storage version of a bundle before the old one.
fn stored_before(old: &Facts, new: &Facts, stored: &StoredSince) -> Vec<Look> {
    let mut looks = Vec::new();
    for (crd, versions) in stored {
        let own = old.crds.get(crd).map(|facts| facts.stored.as_slice()).unwrap_or_default();
        let Some(next) = new.crds.get(crd) else { continue };
        for (version, since) in versions {
            if !next.versions.contains(version) && !own.contains(version) {
                let words = format!(
                    "{crd}: {version} is gone; clusters that had {since} refuse the step until status.storedVersions is pruned"
                );
                looks.push(Look { kind: LookKind::StoredSince, words, more: 0, place: None });
            }
        }
    }
    looks
}

/// Where it is on disk, if it is.
fn place(spot: Option<&Spot>, found: &Found) -> Option<Place> {
    let (spot, shown) = spot.zip(found.shown.as_deref())?;
    Some(Place { file: format!("{shown}/{}", spot.file).into(), line: spot.line, column: 1 })
}

fn concern(concern: &Concern, found: &Found) -> Option<Look> {
    let kind = match concern.kind {
        // OLM refuses the step: that is told.
        ConcernKind::ChangedScope => return None,
        ConcernKind::RemovedApi | ConcernKind::RemovedVersion | ConcernKind::UnservedVersion => {
            LookKind::ApiGoes
        }
        ConcernKind::RemovedInstallMode => LookKind::InstallModeGoes,
        ConcernKind::GainedDanger => LookKind::PermissionsGrow,
        ConcernKind::NewRequirement => LookKind::RequirementAppears,
        ConcernKind::NewWebhook => LookKind::WebhookAppears,
        ConcernKind::RemovedObject => LookKind::ObjectGoes,
    };
    Some(Look { kind, words: concern.words.clone(), more: 0, place: place(concern.spot.as_ref(), found) })
}

/// What the operator may do now and could not before, besides what is dangerous in itself.
fn grown(comparison: &Comparison, found: &Found) -> Option<Look> {
    let section = comparison.sections.iter().find(|section| section.part == Part::Permissions)?;
    let grows = |row: &&RowDifference| {
        let Some(after) = row.after.as_ref().filter(|after| after.level > 0 && after.dangers.is_empty())
        else {
            return false;
        };
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let had = row.before.as_ref().map(|before| words(&before.value)).unwrap_or_default();
        row.fate() == Fate::Added || words(&after.value).iter().any(|verb| !had.contains(verb))
    };
    let mut grown = section.rows.iter().filter(grows);
    let first = grown.next()?;
    let more = grown.count();
    let row = first.row()?;
    let words = format!("permissions grow: {} {}", row.label, row.value);
    Some(Look { kind: LookKind::PermissionsGrow, words, more, place: place(row.spot.as_ref(), found) })
}

/// Registries that a mirror or a firewall does not know yet.
fn images(old: &Facts, new: &Facts) -> Vec<Look> {
    let look = |words: String| Look { kind: LookKind::ImagesMove, words, more: 0, place: None };
    let mut looks = Vec::new();
    if !old.repository.is_empty() && !new.repository.is_empty() && old.repository != new.repository {
        looks.push(look(format!("the bundle image moves from {} to {}", old.repository, new.repository)));
    }
    let added: Vec<&str> = new.registries.difference(&old.registries).map(String::as_str).collect();
    if !added.is_empty() && !old.registries.is_empty() {
        looks.push(look(format!("images come from {} too", added.join(", "))));
    }
    looks
}
