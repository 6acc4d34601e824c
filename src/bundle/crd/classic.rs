//! What OLM Classic makes of a new CRD.
//!
//! Classic looks at the resources on the cluster, which nobody has here: the examples of the old bundle stand for them, and
//! what v1 refuses is told as what may break others.
//!
//! Source: operator-lifecycle-manager, `pkg/controller/operators/catalog` (`validateV1CRDCompatibility`, `safeToUpdate`).

use std::collections::HashSet;

use super::{compare::Comparison, model::Crd, place::Place, sets::Examples};
use crate::{
    bundle::{
        read::text,
        schema::{self, Budget},
    },
    catalog::{Node, text::json},
};

/// What Classic makes of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Classic {
    /// Versions that objects may be stored in and that are gone: Classic refuses, "risk of data loss".
    pub stored_removed: Vec<String>,
    /// Other served versions that are gone. Clusters refuse the CRD if objects were stored in one of them long ago.
    pub served_removed: Vec<String>,
    /// Examples of the old bundle that the new schema refuses: resources like these stop the upgrade.
    pub examples: Vec<RefusedExample>,
    /// It only warns of resources that the new schema refuses: a webhook converts them.
    pub only_warns: bool,
    /// How much v1 refuses that Classic does not look at: it may break existing resources.
    pub may_break: usize,
}

/// An example that the new schema refuses and the old one does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedExample {
    /// `metadata.name`; may be empty.
    pub name: String,
    /// The version of the schema.
    pub version: String,
    /// The field: `spec.size`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// Where the examples stand.
    pub place: Option<Place>,
}

impl Classic {
    /// Whether Classic refuses, as far as can be seen without a cluster.
    pub fn refuses(&self) -> bool {
        !self.stored_removed.is_empty() || (!self.examples.is_empty() && !self.only_warns)
    }
}

pub(super) fn judge(
    old: &Crd,
    new: &Crd,
    stored: &[String],
    examples: Option<&Examples>,
    v1: Option<&Comparison>,
) -> Classic {
    let versions = new.versions();
    let known: HashSet<&str> = versions.iter().map(|version| version.name.as_ref()).collect();
    let gone = stored.iter().filter(|name| !known.contains(name.as_str()));
    let stored_removed: Vec<String> = gone.cloned().collect();
    let served_removed =
        served(old).filter(|name| !known.contains(name.as_str()) && !stored_removed.contains(name)).collect();
    // Storage is told by itself.
    let refused = v1.map_or(0, |v1| v1.findings.len());
    Classic {
        may_break: refused - usize::from(!stored_removed.is_empty() && refused > 0),
        examples: examples.map(|examples| refused_examples(old, new, examples)).unwrap_or_default(),
        only_warns: new.converts_by_webhook(),
        served_removed,
        stored_removed,
    }
}

/// Each example is judged by every version that both CRDs serve: without a webhook a resource is the same in all of them.
fn refused_examples(old: &Crd, new: &Crd, examples: &Examples) -> Vec<RefusedExample> {
    // What cannot be read is another check's business.
    let Ok(list) = json::parse(examples.text.as_bytes()) else { return Vec::new() };
    let (group, kind) = (old.group(), old.kind());
    let old_served: HashSet<String> = served(old).collect();
    let both: Vec<String> = served(new).filter(|name| old_served.contains(name)).collect();
    let mut refused = Vec::new();
    let budget = Budget::default();
    for example in list.items() {
        let api = text(example, &["apiVersion"]);
        let Some((of, own)) = api.split_once('/') else { continue };
        if of != group || text(example, &["kind"]) != kind {
            continue;
        }
        let own_only = new.converts_by_webhook();
        for version in both.iter().filter(|version| !own_only || version.as_str() == own) {
            refused.extend(judged(old, new, version, example, examples, &budget));
        }
    }
    refused
}

fn served(crd: &Crd) -> impl Iterator<Item = String> {
    crd.versions().into_iter().filter(|version| version.is_served).map(|version| version.name.into_owned())
}

/// What the new schema of a version refuses of an example that the old one takes.
fn judged(
    old: &Crd,
    new: &Crd,
    version: &str,
    example: &Node,
    examples: &Examples,
    budget: &Budget,
) -> Vec<RefusedExample> {
    let faults = |crd: &Crd| {
        let schema = schema::of_version(crd.node(), version);
        schema.map(|schema| schema.judge_stored(example, budget).list).unwrap_or_default()
    };
    // A resource that the old schema refuses is not on any cluster.
    if !faults(old).is_empty() {
        return Vec::new();
    }
    let name = text(example, &["metadata", "name"]).into_owned();
    let refused = |fault: schema::Fault| RefusedExample {
        name: name.clone(),
        version: version.to_owned(),
        field: fault.field,
        message: fault.message,
        place: examples.place.clone(),
    };
    faults(new).into_iter().map(refused).collect()
}
