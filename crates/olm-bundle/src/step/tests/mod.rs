//! Steps between small bundles, one test per rule.

mod crds;
mod csv;
mod never_safe;
mod objects;

use super::{
    Judgement, OlmJudgement, ReasonKind, StepBundle, StoredVersions, judge_step, leftovers::parse_quantity,
};
use crate::{Tree, TreeFile, manifests::BundleManifests};

const ANNOTATIONS: &str = "annotations: {operators.operatorframework.io.bundle.package.v1: lathe}\n";
const MODES: &str = "  installModes: [{type: AllNamespaces, supported: true}]\n";
const DEPLOYMENT: &str = "{name: lathe-controller, spec: {selector: {matchLabels: {app: lathe}}, \
    template: {metadata: {labels: {app: lathe}}, spec: {containers: [{name: manager, image: example.com/lathe}]}}}}";

/// Test bundle: differences from a minimal bundle.
#[derive(Clone, Default)]
pub(super) struct Bundle {
    deployments: Option<String>,
    modes: Option<String>,
    /// Additional lines in the `spec` of the CSV.
    spec: String,
    /// Additional files in `manifests/`.
    files: Vec<(String, String)>,
    /// True if the objects are in a catalog instead of a directory.
    is_in_catalog: bool,
}

impl Bundle {
    /// Creates a bundle with one additional file.
    fn with_file(text: &str) -> Self {
        Self::default().and_file("object.yaml", text)
    }

    /// Creates a bundle with additional `spec` lines.
    fn with_spec(lines: &str) -> Self {
        Self { spec: lines.to_owned(), ..Self::default() }
    }

    /// Creates a bundle with the given deployments.
    fn with_deployments(list: &str) -> Self {
        Self { deployments: Some(list.to_owned()), ..Self::default() }
    }

    fn and_file(mut self, name: &str, text: &str) -> Self {
        self.files.push((name.to_owned(), text.to_owned()));
        self
    }

    fn and_modes(mut self, lines: &str) -> Self {
        self.modes = Some(lines.to_owned());
        self
    }

    fn and_spec(mut self, lines: &str) -> Self {
        self.spec.push_str(lines);
        self
    }

    fn csv_yaml(&self, version: &str) -> String {
        let deployments = self.deployments.as_deref().unwrap_or(DEPLOYMENT);
        let (modes, spec) = (self.modes.as_deref().unwrap_or(MODES), &self.spec);
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
             metadata: {{name: lathe.v{version}}}\nspec:\n  version: {version}\n{modes}{spec}  install:\n    \
             strategy: deployment\n    spec: {{deployments: [{deployments}]}}\n"
        )
    }

    fn to_tree(&self, version: &str) -> Tree {
        let file = |path: String, text: &str| TreeFile { path, content: Ok(text.into()) };
        let mut files = vec![file("manifests/lathe.csv.yaml".to_owned(), &self.csv_yaml(version))];
        files.extend(self.files.iter().map(|(name, text)| file(format!("manifests/{name}"), text)));
        if !self.is_in_catalog {
            files.push(file("metadata/annotations.yaml".to_owned(), ANNOTATIONS));
        }
        let mut folders = vec!["manifests".to_owned(), "metadata".to_owned()];
        let nested = self.files.iter().filter_map(|(name, _)| name.rsplit_once('/'));
        folders.extend(nested.map(|(folder, _)| format!("manifests/{folder}")));
        Tree::new(files, folders)
    }

    fn to_step_bundle(&self, version: &str) -> Result<StepBundle, String> {
        let shown = (!self.is_in_catalog).then(|| format!("lathe/{version}"));
        StepBundle::from_manifests(BundleManifests { tree: self.to_tree(version), shown })
    }
}

/// Judges a step as `bundle diff` does: a bundle that cannot be read is not checked.
pub(super) fn judge_bundles(old: &Bundle, new: &Bundle) -> Judgement {
    match (old.to_step_bundle("1.0.0"), new.to_step_bundle("1.1.0")) {
        (Ok(old), Ok(new)) => judge_step(&old, &new, &StoredVersions::new()),
        (Err(reason), _) | (_, Err(reason)) => Judgement::not_checked(reason),
    }
}

/// Formats a judgement: the verdict, and kind and field of each reason.
pub(super) fn format_judgement(olm: &OlmJudgement) -> String {
    let reasons = olm.reasons.iter().map(|reason| {
        let field = if reason.field.is_empty() { String::new() } else { format!(" {}", reason.field) };
        format!("{}{field}", reason.kind.id())
    });
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let verdict = olm.verdict().id();
    if reasons.is_empty() { verdict.to_owned() } else { format!("{verdict}: {reasons}") }
}

/// Table row: case, old bundle, new bundle, verdict of OLM Classic, verdict of OLM v1.
pub(super) type Row<'r> = (&'r str, Bundle, Bundle, &'r str, &'r str);

/// Checks every row of a table, both in directories and as objects of a catalog.
pub(super) fn check_rows(rows: Vec<Row<'_>>) {
    for (case, old, new, classic, v1) in rows {
        let carried = [&old, &new].map(|bundle| Bundle { is_in_catalog: true, ..bundle.clone() });
        for [old, new] in [[&old, &new], [&carried[0], &carried[1]]] {
            let step = judge_bundles(old, new);
            let found = (format_judgement(&step.classic), format_judgement(&step.v1));
            assert_eq!(found, (classic.to_owned(), v1.to_owned()), "{case}: {step:?}");
        }
    }
}

#[test]
fn quantities_are_numbers_with_suffixes() {
    for (text, expected) in [
        ("1", Some(1.0)),
        ("100m", Some(0.1)),
        ("64Mi", Some(67_108_864.0)),
        ("1e3", Some(1000.0)),
        ("2k", Some(2000.0)),
        ("1E", Some(1e18)),
        ("0.5Gi", Some(536_870_912.0)),
        ("", None),
        ("many", None),
        ("Mi", None),
    ] {
        assert_eq!(parse_quantity(text), expected, "{text}");
    }
}

#[test]
fn names_of_reasons_are_different() {
    let mut names: Vec<&str> = ReasonKind::ALL.iter().map(|kind| kind.id()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ReasonKind::ALL.len());
    assert!(ReasonKind::ALL.iter().all(|kind| !kind.advice().is_empty()));
}
