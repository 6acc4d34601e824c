//! Inputs of every command, each with a command line that reads it.

/// Breakage of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakage {
    /// The file is removed.
    Missing,
    /// Invalid YAML, JSON or TOML is appended.
    Syntax,
    /// A byte that is not UTF-8 is appended.
    Encoding,
    /// The file is replaced by a directory.
    Directory,
}

use Breakage::{Directory, Encoding, Missing, Syntax};

/// Breakages of structured text.
const TEXT: &[Breakage] = &[Missing, Syntax, Encoding, Directory];
/// Breakages of structured text in a file that may be missing.
const STRUCTURED: &[Breakage] = &[Syntax, Encoding];
/// Breakages of structured text if a directory is accepted too.
const TEXT_OR_DIR: &[Breakage] = &[Missing, Syntax, Encoding];
/// Breakages of JSON lines.
const LINES: &[Breakage] = &[Missing, Syntax, Encoding, Directory];
/// Breakages of a file with arbitrary content.
const BYTES: &[Breakage] = &[Missing, Directory];
/// Breakages of a file inside an input directory.
const INSIDE: &[Breakage] = &[Syntax, Encoding];
/// Breakages of a path that may be a file or a directory.
const PATH: &[Breakage] = &[Missing];

/// Required outcome of a broken input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedOutcome {
    /// Exit code 2 and the name of the file. With a valid input, exit code 0 or 1.
    Two,
    /// Exit code 2 and the name of the file. With a valid input, any exit code.
    Refused,
    /// Exit code 1 or 2 and the name of the file. The command checks it, so the fault may be a
    /// finding.
    Finding,
    /// The name of the file, with any exit code. The command shows the readable part and names the
    /// rest.
    Named,
}

use ExpectedOutcome::{Finding, Named, Refused, Two};

/// Input of a command.
pub struct Row {
    /// Command and argument in the spelling of the manual page.
    pub input: &'static str,
    /// Command line, run in the directory with the files.
    pub line: &'static str,
    /// File or directory to break.
    pub file: &'static str,
    /// Breakages of the file.
    pub ways: &'static [Breakage],
    /// Required outcome.
    pub demand: ExpectedOutcome,
}

const CATALOG: &str = "catalog/kiln/catalog.yaml";
const CRD_OLD: &str = "operators/kiln/1.0.0/manifests/crd.yaml";
const CRD: &str = "operators/kiln/1.1.0/manifests/crd.yaml";
const CSV: &str = "operators/kiln/1.1.0/manifests/csv.yaml";
const ANNOTATIONS: &str = "operators/kiln/1.1.0/metadata/annotations.yaml";
const CRD_NEW: &str = "operators/kiln/1.2.0/manifests/crd.yaml";
const CSV_NEW: &str = "operators/kiln/1.2.0/manifests/csv.yaml";
const ANNOTATIONS_NEW: &str = "operators/kiln/1.2.0/metadata/annotations.yaml";

macro_rules! rows {
    ($($input:literal, $line:literal, $file:expr, $ways:expr, $demand:expr;)*) => {
        &[$(Row { input: $input, line: $line, file: $file, ways: $ways, demand: $demand }),*]
    };
}

#[rustfmt::skip]
pub const ROWS: &[Row] = rows! {
    "validate --bundles", "validate catalog --bundles operators", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format json", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format json", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format json", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format sarif", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format sarif", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format sarif", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format github", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format github", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format github", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format gitlab", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format gitlab", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format gitlab", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format markdown", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format markdown", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --format markdown", ANNOTATIONS, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --rule crd-upgrade-unsafe-v1", CRD, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators --deny warnings --package kiln", CSV, INSIDE, Two;
    "diff --bundles", "diff old catalog --fail-on all --bundles operators", CRD, INSIDE, Two;
    "diff --bundles", "diff old catalog --fail-on all --bundles operators", CSV, INSIDE, Two;
    "diff --bundles", "diff old catalog --bundles operators", CRD, INSIDE, Two;
    "diff --bundles", "diff old catalog --bundles operators", CSV, INSIDE, Two;
    "diff --bundles", "diff catalog catalog --format json --bundles operators", CRD, INSIDE, Two;
    "diff --bundles", "diff catalog catalog --format json --bundles operators", CSV, INSIDE, Two;
    "diff --bundles", "diff old catalog --format markdown --bundles operators", CRD, INSIDE, Two;
    "diff --bundles", "diff old catalog --format markdown --bundles operators", CSV, INSIDE, Two;
    "successors --bundles", "successors catalog --bundles operators", CRD, INSIDE, Two;
    "successors --bundles", "successors catalog --bundles operators", CSV, INSIDE, Two;
    "successors --bundles", "successors catalog --format json --bundles operators", CRD, INSIDE, Two;
    "successors --bundles", "successors catalog --format json --bundles operators", CSV, INSIDE, Two;
    "successors --bundles", "successors catalog --installed 1.0.0 --format jsonl --bundles operators", CRD, INSIDE, Two;
    "successors --bundles", "successors catalog --installed 1.0.0 --format jsonl --bundles operators", CSV, INSIDE, Two;
    "path --bundles", "path 1.0.0 head catalog --bundles operators", CRD, INSIDE, Two;
    "path --bundles", "path 1.0.0 head catalog --bundles operators", CSV, INSIDE, Two;
    "path --bundles", "path 1.0.0 head catalog --format json --bundles operators", CRD, INSIDE, Two;
    "path --bundles", "path 1.0.0 head catalog --format json --bundles operators", CSV, INSIDE, Two;
    "crds graph --bundles", "crds graph catalog --refused --bundles operators", CRD, INSIDE, Two;
    "crds graph --bundles", "crds graph catalog --refused --bundles operators", CSV, INSIDE, Two;
    "crds graph --bundles", "crds graph catalog --refused --format json --bundles operators", CRD, INSIDE, Two;
    "crds graph --bundles", "crds graph catalog --refused --format json --bundles operators", CSV, INSIDE, Two;
    "plan --bundles", "plan --installed kiln.v1.0.0 4.18=old 4.19=catalog --bundles operators", CRD, INSIDE, Two;
    "plan --bundles", "plan --installed kiln.v1.0.0 4.18=old 4.19=catalog --bundles operators", CSV, INSIDE, Two;
    "plan --bundles", "plan --installed kiln.v1.0.0 4.18=old 4.19=catalog --format json --bundles operators", CRD, INSIDE, Two;
    "plan --bundles", "plan --installed kiln.v1.0.0 4.18=old 4.19=catalog --format json --bundles operators", CSV, INSIDE, Two;
    "readiness --bundles", "readiness catalog --bundles operators --format text", CSV, INSIDE, Two;
    "readiness --bundles", "readiness catalog --bundles operators --format json", CSV, INSIDE, Two;
    "readiness --bundles", "readiness catalog --bundles operators --format markdown", CSV, INSIDE, Two;
    "validate --bundles", "validate catalog --bundles operators", "operators", PATH, Two;
    "diff --bundles", "diff old catalog --bundles operators", "operators", PATH, Two;
    "successors --bundles", "successors catalog --bundles operators", "operators", PATH, Two;
    "path --bundles", "path 1.0.0 head catalog --bundles operators", "operators", PATH, Two;
    "crds graph --bundles", "crds graph catalog --bundles operators", "operators", PATH, Two;
    "readiness --bundles", "readiness catalog --bundles operators", "operators", PATH, Two;
    "plan --bundles", "plan --installed kiln.v1.0.0 4.18=old 4.19=catalog --bundles operators", "operators", PATH, Two;
    "validate --baseline", "validate catalog --baseline baseline.yaml", "baseline.yaml", TEXT, Two;
    "validate --write-baseline", "validate catalog --write-baseline baseline.yaml", "baseline.yaml", STRUCTURED, Two;
    "deprecations --baseline", "deprecations catalog --baseline baseline.yaml", "baseline.yaml", TEXT, Two;
    "report --baseline", "report catalog --baseline baseline.yaml", "baseline.yaml", TEXT, Two;
    "expect FILE", "expect expect.yaml catalog", "expect.yaml", TEXT, Two;
    "expect FILE", "expect expect.yaml catalog --format json", "expect.yaml", TEXT, Two;
    "successors --file", "successors catalog -f wanted.yaml", "wanted.yaml", TEXT, Two;
    "successors --file", "successors --one-cluster catalog old -f wanted.yaml", "wanted.yaml", TEXT, Two;
    "successors --queries", "successors catalog --queries queries.jsonl", "queries.jsonl", LINES, Two;
    "successors --queries", "successors --catalog a=catalog --queries queries.jsonl", "queries.jsonl", LINES, Two;
    "resolve --queries", "resolve catalog --queries namespaces.jsonl", "namespaces.jsonl", LINES, Two;
    "resolve --cluster", "resolve catalog --cluster cluster.yaml", "cluster.yaml", TEXT_OR_DIR, Two;
    "plan --cluster", "plan --cluster cluster.yaml 4.18=old 4.19=catalog", "cluster.yaml", TEXT_OR_DIR, Two;
    "cluster FILE", "cluster cluster.yaml", "cluster.yaml", TEXT_OR_DIR, Two;
    "cluster FILE", "cluster cluster.yaml --format json", "cluster.yaml", TEXT_OR_DIR, Two;
    "range --batch", "range --batch ranges.jsonl", "ranges.jsonl", LINES, Two;
    "cel --batch", "cel --batch rules.jsonl", "rules.jsonl", LINES, Two;
    "crds diff --pairs", "crds diff --pairs pairs.jsonl", "pairs.jsonl", LINES, Two;
    "mirror filter --file", "mirror filter catalog -f imageset.yaml", "imageset.yaml", TEXT, Two;
    "mirror check FILE", "mirror check imageset.yaml catalog", "imageset.yaml", TEXT, Two;
    "compose FILE", "compose composition.yaml --check", "composition.yaml", TEXT, Two;
    "edit apply FILE", "edit apply edits.json catalog -n", "edits.json", TEXT, Two;
    "edit set-icon FILE", "edit set-icon icon.svg catalog -n", "icon.svg", BYTES, Two;
    "edit add-bundle BUNDLE", "edit add-bundle bundle.yaml catalog -n", "bundle.yaml", TEXT_OR_DIR, Two;
    "edit add-bundle BUNDLE", "edit add-bundle operators/kiln/1.2.0 catalog -n --image registry.example.com/kiln:v1.2.0", CSV_NEW, INSIDE, Two;
    "edit add-bundle BUNDLE", "edit add-bundle operators/kiln/1.2.0 catalog -n --image registry.example.com/kiln:v1.2.0", CRD_NEW, INSIDE, Two;
    "edit add-bundle BUNDLE", "edit add-bundle operators/kiln/1.2.0 catalog -n --image registry.example.com/kiln:v1.2.0", ANNOTATIONS_NEW, INSIDE, Two;
    "init --description", "init kiln -d readme.md", "readme.md", BYTES, Two;
    "init --icon", "init kiln -i icon.gif", "icon.gif", BYTES, Two;
    "template render --bundles", "template render plain-template.yaml --bundles catalog", CATALOG, INSIDE, Two;
    "template render --bundles", "template render plain-template.yaml --bundles catalog", "catalog", PATH, Two;
    "template render FILE", "template render plain-template.yaml --bundles catalog", "plain-template.yaml", TEXT, Two;
    "template convert FILE", "template convert basic catalog/kiln/catalog.yaml", CATALOG, TEXT, Two;
    "template check REPO", "template check repository", "repository/operators/kiln/catalog-templates/basic.yaml", STRUCTURED, Finding;
    "template check REPO", "template check repository", "repository/operators/kiln/ci.yaml", STRUCTURED, Two;
    "template check REPO", "template check repository", "repository/catalogs/v4.20/kiln/catalog.yaml", STRUCTURED, Finding;
    "template check REPO", "template check repository", "repository/operators/kiln/1.2.0/release-config.yaml", STRUCTURED, Two;
    "template check REPO", "template check repository", "repository/operators/kiln/1.2.0/manifests/csv.yaml", STRUCTURED, Two;
    "template check REPO", "template check repository", "repository", PATH, Two;
    "template release DIR", "template release repository/operators/kiln/1.2.0 --template basic.yaml=stable -n", "repository/operators/kiln/ci.yaml", TEXT, Two;
    "template release DIR", "template release repository/operators/kiln/1.2.0 --template basic.yaml=stable -n", "repository/operators/kiln/1.2.0", PATH, Two;
    "template map TEMPLATE", "template map repository/operators/kiln/catalog-templates/basic.yaml v4.99 -n", "repository/operators/kiln/ci.yaml", TEXT, Two;
    "template map TEMPLATE", "template map repository/operators/kiln/catalog-templates/basic.yaml v4.99 -n", "repository/operators/kiln/catalog-templates/basic.yaml", PATH, Two;
    "template check --template", "template check --template plain-template.yaml --catalog catalog", "plain-template.yaml", TEXT, Finding;
    "template check --catalog", "template check --template plain-template.yaml --catalog catalog", CATALOG, INSIDE, Two;
    "template check --catalog", "template check --template plain-template.yaml --catalog catalog", "catalog", PATH, Two;
    "diff NEW", "diff catalog plain-template.yaml --fail-on all", "plain-template.yaml", TEXT, Finding;
    "list PATH", "list repository repository", "repository", PATH, Two;
    "list PATH", "list repository stated", "stated/.olmap.toml", STRUCTURED, Two;
    "list PATH", "list repository stated", "stated/catalog", PATH, Two;
    "list PATH", "list repository stated -o json", "stated/template.yaml", PATH, Two;
    "list PATH", "list repository stated", "stated/bundle", PATH, Two;
    "crds diff OLD", "crds diff old-crd.yaml new-crd.yaml", "old-crd.yaml", TEXT, Two;
    "crds diff NEW", "crds diff old-crd.yaml new-crd.yaml", "new-crd.yaml", TEXT, Two;
    "crds diff OLD", "crds diff operators/kiln/1.0.0 operators/kiln/1.1.0", CRD_OLD, INSIDE, Two;
    "crds diff NEW", "crds diff operators/kiln/1.0.0 operators/kiln/1.1.0", CRD, INSIDE, Two;
    "crds check NEW", "crds check new-crd.yaml --resources resources.yaml", "new-crd.yaml", TEXT, Two;
    "crds check NEW", "crds check operators/kiln/1.1.0 --resources resources.yaml", CRD, INSIDE, Two;
    "crds check --resources", "crds check new-crd.yaml --resources resources.yaml", "resources.yaml", TEXT, Two;
    "crds check --resources", "crds check new-crd.yaml --cluster resources.yaml --format json", "resources.yaml", TEXT, Two;
    "crds diff --catalog", "crds diff 1.0.0 1.1.0 --catalog operators", CRD, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format text", CRD, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format json", CRD, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format markdown", CRD, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format text", CSV, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format json", CSV, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format markdown", CSV, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format text", ANNOTATIONS, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format json", ANNOTATIONS, INSIDE, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0 --format markdown", ANNOTATIONS, INSIDE, Two;
    "bundle diff OLD", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0", CRD_OLD, INSIDE, Two;
    "bundle diff OLD", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0", "operators/kiln/1.0.0", PATH, Two;
    "bundle diff NEW", "bundle diff operators/kiln/1.0.0 operators/kiln/1.1.0", "operators/kiln/1.1.0", PATH, Two;
    "bundle diff --catalog", "bundle diff 1.0.0 1.1.0 --catalog operators", CRD, INSIDE, Two;
    "bundle diff --before", "bundle diff operators/kiln/1.1.0 operators/kiln/1.1.0 --before operators/kiln/1.0.0", CRD_OLD, INSIDE, Two;
    "bundle diff --before", "bundle diff operators/kiln/1.1.0 operators/kiln/1.1.0 --before operators/kiln/1.0.0", "operators/kiln/1.0.0", PATH, Two;
    "bundle show PATH", "bundle show operators/kiln/1.1.0", CRD, INSIDE, Named;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0", CRD, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --target v1", CRD, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --rule suite-good-practices --format json", CRD, INSIDE, Finding;
    "bundle show PATH", "bundle show operators/kiln/1.1.0", CSV, INSIDE, Named;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0", CSV, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --target v1", CSV, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --rule suite-good-practices --format json", CSV, INSIDE, Finding;
    "bundle show PATH", "bundle show operators/kiln/1.1.0", ANNOTATIONS, INSIDE, Named;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0", ANNOTATIONS, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --target v1", ANNOTATIONS, INSIDE, Finding;
    "bundle validate DIR", "bundle validate operators/kiln/1.1.0 --rule suite-good-practices --format json", ANNOTATIONS, INSIDE, Finding;
    "bundle show PATH", "bundle show operators/kiln/1.1.0", "operators/kiln/1.1.0", PATH, Two;
    "bundle validate DIR", "bundle validate operators", "operators", PATH, Two;
    "bundle validate --optional-values", "bundle validate operators/kiln/1.1.0 --suite multiarch --optional-values image-platforms=platforms.json", "platforms.json", TEXT, Two;
    "bundle validate --optional-values", "bundle validate operators/kiln/1.1.0 --suite openshift --optional-values file=files.txt", "files.txt", BYTES, Finding;
    "generate bundle --directory", "generate bundle -d operators/kiln/1.1.0/manifests -p kiln -c stable -u generated", CSV, INSIDE, Named;
    "generate bundle --directory", "generate bundle -d operators/kiln/1.1.0/manifests -p kiln -c stable -u generated", "operators/kiln/1.1.0/manifests", PATH, Two;
    "generate dockerfile DIR", "generate dockerfile catalog", "catalog", PATH, Two;
    "image build DIR", "image build catalog -t registry.example.com/c:v1 --to oci:image", CATALOG, INSIDE, Two;
    "image build DIR", "image build catalog -t registry.example.com/c:v1 --to oci:image", "catalog", PATH, Two;
    "image build DIR", "image build operators/kiln/1.1.0 -t registry.example.com/c:v1 --to oci:image", CSV, INSIDE, Two;
    "image build DIR", "image build operators/kiln/1.1.0 -t registry.example.com/c:v1 --to oci:image", ANNOTATIONS, INSIDE, Two;
    "validate PATH", "validate catalog", CATALOG, INSIDE, Finding;
    "validate PATH", "validate catalog --package kiln", CATALOG, INSIDE, Finding;
    "validate PATH", "validate catalog --rule dead-end", CATALOG, INSIDE, Finding;
    "validate PATH", "validate catalog --format json", CATALOG, INSIDE, Finding;
    "expect PATH", "expect expect.yaml catalog", CATALOG, INSIDE, Finding;
    "diff NEW", "diff old catalog --fail-on removed-entries", CATALOG, INSIDE, Finding;
    "diff OLD", "diff catalog old --fail-on new-errors", CATALOG, INSIDE, Finding;
    "report CATALOG", "report catalog --fail-on errors", CATALOG, INSIDE, Finding;
    "report --against", "report old --against catalog --fail-on all", CATALOG, INSIDE, Finding;
    "deprecations PATH", "deprecations catalog", CATALOG, INSIDE, Finding;
    "deprecations PATH", "deprecations catalog --format json", CATALOG, INSIDE, Finding;
    "readiness PATH", "readiness catalog", CATALOG, INSIDE, Finding;
    "stuck --against", "stuck old --against catalog", CATALOG, INSIDE, Two;
    "stuck PATH", "stuck catalog", CATALOG, INSIDE, Two;
    "stuck PATH", "stuck catalog --fail-on any", CATALOG, INSIDE, Two;
    "apis PATH", "apis catalog --missing", CATALOG, INSIDE, Finding;
    "plan CATALOG", "plan --all --fail-on stranded 4.18=old 4.19=catalog", CATALOG, INSIDE, Finding;
    "mirror filter CATALOG", "mirror filter catalog -f imageset.yaml --format yaml", CATALOG, INSIDE, Two;
    "mirror check CATALOG", "mirror check imageset.yaml catalog", CATALOG, INSIDE, Finding;
    "git merge BASE", "git merge old/kiln/catalog.yaml catalog/kiln/catalog.yaml catalog/kiln/catalog.yaml", "old/kiln/catalog.yaml", BYTES, Two;
    "git merge OURS", "git merge old/kiln/catalog.yaml catalog/kiln/catalog.yaml old/kiln/catalog.yaml", CATALOG, BYTES, Two;
    "git merge THEIRS", "git merge old/kiln/catalog.yaml old/kiln/catalog.yaml catalog/kiln/catalog.yaml", CATALOG, BYTES, Two;
    "git textconv FILE", "git textconv catalog/kiln/catalog.yaml", CATALOG, BYTES, Two;
    "locate PATH", "locate stable catalog", CATALOG, INSIDE, Named;
    "locate PATH", "locate stable catalog", "catalog", PATH, Two;
    "list PATH", "list packages catalog", CATALOG, INSIDE, Named;
    "list PATH", "list bundles catalog --format json", CATALOG, INSIDE, Named;
    "successors PATH", "successors catalog", CATALOG, INSIDE, Named;
    "successors PATH", "successors --one-cluster catalog old", CATALOG, INSIDE, Named;
    "successors --catalog", "successors --catalog a=catalog --catalog b=old", CATALOG, INSIDE, Named;
    "path PATH", "path 1.0.0 head catalog", CATALOG, INSIDE, Finding;
    "path PATH", "path 1.0.0 1.1.0 --one-cluster catalog old", CATALOG, INSIDE, Finding;
    "path --catalog", "path 1.0.0 1.1.0 --catalog a=catalog --catalog b=old,priority=5", CATALOG, INSIDE, Finding;
    "path --catalog", "path 1.0.0 1.1.0 --catalog a=catalog", "catalog", PATH, Two;
    "resources --catalog", "resources 1.0.0 --engine v1 --catalog a=catalog", CATALOG, INSIDE, Named;
    "resources --catalog", "resources 1.0.0 --engine v1 --catalog a=catalog", "catalog", PATH, Two;
    "readiness --catalog", "readiness --catalog a=catalog --catalog b=old,priority=5", CATALOG, INSIDE, Finding;
    "readiness --catalog", "readiness --catalog a=catalog", "catalog", PATH, Two;
    "graph PATH", "graph catalog", CATALOG, INSIDE, Named;
    "graph PATH", "graph catalog --format json", CATALOG, INSIDE, Named;
    "range --catalog", "range >=1.0.0 --catalog catalog", CATALOG, INSIDE, Named;
    "resolve CATALOG", "resolve catalog --subscribe kiln", CATALOG, INSIDE, Named;
    "apis PATH", "apis catalog", CATALOG, INSIDE, Named;
    "overview CATALOG", "overview catalog old", CATALOG, INSIDE, Named;
    "cluster --catalog", "cluster cluster.yaml --catalog catalog", CATALOG, INSIDE, Named;
    "resources PATH", "resources 1.0.0 catalog", CATALOG, INSIDE, Named;
    "resources --bundles", "resources 1.1.0 catalog --engine v1 --bundles operators", CSV, INSIDE, Two;
    "resources --bundles", "resources 1.1.0 catalog --engine v1 --bundles operators", CRD, INSIDE, Two;
    "resources --bundles", "resources 1.1.0 catalog --engine v1 --bundles operators", "operators", PATH, Two;
    "crds graph PATH", "crds graph catalog", CATALOG, INSIDE, Two;
    "diff NEW", "diff old catalog", CATALOG, INSIDE, Named;
    "report CATALOG", "report catalog", CATALOG, INSIDE, Named;
    "edit describe PATH", "edit describe --package kiln x catalog -n", CATALOG, INSIDE, Named;
    "render PATH", "render catalog", CATALOG, INSIDE, Named;
    "validate PATH", "validate catalog", "catalog", PATH, Two;
    "validate PATH", "validate catalog --package kiln", "catalog", PATH, Two;
    "validate PATH", "validate catalog --rule dead-end", "catalog", PATH, Two;
    "validate PATH", "validate catalog --format json", "catalog", PATH, Two;
    "expect PATH", "expect expect.yaml catalog", "catalog", PATH, Two;
    "diff NEW", "diff old catalog --fail-on removed-entries", "catalog", PATH, Two;
    "diff OLD", "diff catalog old --fail-on new-errors", "catalog", PATH, Two;
    "report CATALOG", "report catalog --fail-on errors", "catalog", PATH, Two;
    "report --against", "report old --against catalog --fail-on all", "catalog", PATH, Two;
    "deprecations PATH", "deprecations catalog", "catalog", PATH, Two;
    "deprecations PATH", "deprecations catalog --format json", "catalog", PATH, Two;
    "readiness PATH", "readiness catalog", "catalog", PATH, Two;
    "stuck --against", "stuck old --against catalog", "catalog", PATH, Two;
    "stuck PATH", "stuck catalog", "catalog", PATH, Two;
    "apis PATH", "apis catalog --missing", "catalog", PATH, Two;
    "plan CATALOG", "plan --all --fail-on stranded 4.18=old 4.19=catalog", "catalog", PATH, Two;
    "mirror filter CATALOG", "mirror filter catalog -f imageset.yaml --format yaml", "catalog", PATH, Two;
    "mirror check CATALOG", "mirror check imageset.yaml catalog", "catalog", PATH, Two;
    "list PATH", "list packages catalog", "catalog", PATH, Two;
    "list PATH", "list bundles catalog --format json", "catalog", PATH, Two;
    "successors PATH", "successors catalog", "catalog", PATH, Two;
    "successors --catalog", "successors --catalog a=catalog", "catalog", PATH, Two;
    "path PATH", "path 1.0.0 head catalog", "catalog", PATH, Two;
    "graph PATH", "graph catalog", "catalog", PATH, Two;
    "graph PATH", "graph catalog --format json", "catalog", PATH, Two;
    "range --catalog", "range >=1.0.0 --catalog catalog", "catalog", PATH, Two;
    "resolve CATALOG", "resolve catalog --subscribe kiln", "catalog", PATH, Two;
    "apis PATH", "apis catalog", "catalog", PATH, Two;
    "overview CATALOG", "overview catalog old", "catalog", PATH, Two;
    "cluster --catalog", "cluster cluster.yaml --catalog catalog", "catalog", PATH, Two;
    "resources PATH", "resources 1.0.0 catalog", "catalog", PATH, Two;
    "crds graph PATH", "crds graph catalog", "catalog", PATH, Two;
    "diff NEW", "diff old catalog", "catalog", PATH, Two;
    "report CATALOG", "report catalog", "catalog", PATH, Two;
    "edit describe PATH", "edit describe --package kiln x catalog -n", "catalog", PATH, Two;
    "render PATH", "render catalog", "catalog", PATH, Two;
    "edit promote PATH", "edit promote 1.1.0 catalog --channel fast --new-channel fast -n", "catalog", PATH, Refused;
    "edit add-entry PATH", "edit add-entry kiln.v1.1.0 catalog --channel fast -n", "catalog", PATH, Refused;
    "edit set-entry PATH", "edit set-entry 1.1.0 catalog --channel stable --skip kiln.v0.9.0 -n", "catalog", PATH, Refused;
    "edit remove-entry PATH", "edit remove-entry 1.1.0 catalog --channel stable -n", "catalog", PATH, Refused;
    "edit default-channel PATH", "edit default-channel stable catalog -n", "catalog", PATH, Refused;
    "edit add-channel PATH", "edit add-channel fast catalog --from stable -n", "catalog", PATH, Refused;
    "edit rename-channel PATH", "edit rename-channel stable to catalog -n", "catalog", PATH, Refused;
    "edit remove-channel PATH", "edit remove-channel stable catalog -n", "catalog", PATH, Refused;
    "edit set-icon PATH", "edit set-icon icon.svg catalog -n", "catalog", PATH, Refused;
    "edit set-property PATH", "edit set-property example.com.a b catalog --versions * -n", "catalog", PATH, Refused;
    "edit remove-property PATH", "edit remove-property olm.gvk catalog --versions * -n", "catalog", PATH, Refused;
    "edit set-related-image PATH", "edit set-related-image a example.com/a:1 catalog --versions * -n", "catalog", PATH, Refused;
    "edit remove-related-image PATH", "edit remove-related-image a catalog --versions * -n", "catalog", PATH, Refused;
    "edit add-bundle PATH", "edit add-bundle bundle.yaml catalog -n", "catalog", PATH, Refused;
    "edit remove-bundle PATH", "edit remove-bundle 1.1.0 catalog -n", "catalog", PATH, Refused;
    "edit withdraw PATH", "edit withdraw 1.1.0 catalog -n", "catalog", PATH, Refused;
    "edit leave-out-below PATH", "edit leave-out-below 1.1.0 catalog -n", "catalog", PATH, Refused;
    "edit deprecate PATH", "edit deprecate catalog --bundle 1.0.0 --message x -n", "catalog", PATH, Refused;
    "edit undeprecate PATH", "edit undeprecate catalog --bundle 1.0.0 -n", "catalog", PATH, Refused;
    "edit fix PATH", "edit fix catalog -n", "catalog", PATH, Refused;
    "edit apply PATH", "edit apply edits.json catalog -n", "catalog", PATH, Refused;
    "edit template add PATH", "edit template add registry.example.com/x:v1 semver.yaml --list stable -n", "semver.yaml", TEXT, Two;
    "edit template remove PATH", "edit template remove registry.example.com/kiln:v1.0.0 semver.yaml --list stable -n", "semver.yaml", TEXT, Two;
    "edit template move PATH", "edit template move registry.example.com/kiln:v1.0.0 semver.yaml --from stable --to fast -n", "semver.yaml", TEXT, Two;
    "edit template channels PATH", "edit template channels semver.yaml --major true -n", "semver.yaml", TEXT, Two;
    "serve PATH", "serve catalog --port 0", "catalog", PATH, Refused;
    "serve PATH", "serve catalog --port 0", CATALOG, INSIDE, Refused;
    "keys --config", "--config config.toml keys", "config.toml", TEXT, Named;
    "config --config", "--config config.toml config --check", "config.toml", TEXT, Finding;
    "doctor --config", "--config config.toml doctor", "config.toml", TEXT, Named;
    "validate --files", "validate --files catalog/kiln/catalog.yaml", CATALOG, INSIDE, Finding;
    "extract PACKAGE[:CHANNEL[:RANGE]]", "extract kiln catalog --dry-run", CATALOG, INSIDE, Finding;
    "extract PACKAGE[:CHANNEL[:RANGE]]", "extract kiln catalog --dry-run", "catalog", PATH, Two;
};

/// Arguments without a row, with the reason: outputs, the explorer, and inputs of other tests.
pub const NOT_INPUTS: &[&str] = &[
    // A name for messages.
    "git merge PATH",
    // Outputs.
    "validate --also",
    "diff --also",
    "report --to",
    "compose --out",
    "extract --to",
    "generate bundle --output-dir",
    "image build --to",
    "man --dir",
    "edit promote --to",
    "edit add-entry --to",
    "edit set-entry --to",
    "edit remove-entry --to",
    "edit default-channel --to",
    "edit add-channel --to",
    "edit rename-channel --to",
    "edit remove-channel --to",
    "edit describe --to",
    "edit set-icon --to",
    "edit set-property --to",
    "edit remove-property --to",
    "edit set-related-image --to",
    "edit remove-related-image --to",
    "edit add-bundle --to",
    "edit remove-bundle --to",
    "edit withdraw --to",
    "edit leave-out-below --to",
    "edit deprecate --to",
    "edit undeprecate --to",
    "edit fix --to",
    "edit apply --to",
    "edit template add --to",
    "edit template remove --to",
    "edit template move --to-path",
    "edit template channels --to",
    // The explorer, which needs a terminal: tests/explorer and tests/terminal.
    "PATH",
    "--expect",
    "--baseline",
    "--against",
    "--cluster",
    "--bundles",
    "--config",
    // Images and revisions: tests/cli/registry, tests/cli/half_read.rs.
    "image push IMAGE",
    "image build --from-layout",
    "history PATH",
    "Images and registries --authfile",
    // Number of an item, not a file.
    "mirror filter --operator",
];

/// Returns the value name of an argument that may be a path: `FILE` of `-f, --file FILE`.
pub fn input_value(argument: &str) -> Option<&str> {
    const VALUES: [&str; 9] = ["FILE", "DIR", "PATH", "CATALOG", "OLD", "NEW", "BASE", "REPO", "LAYOUT"];
    let value = argument.rsplit(' ').next()?.trim_end_matches('.');
    let value = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    let value = value.rsplit(['=', ']', '|']).next().unwrap_or(value);
    VALUES.contains(&value).then_some(value)
}
