//! `olmap schema`: JSON Schemas of files that people write, and of JSON output.
//!
//! The schemas are in `assets/schemas`, in YAML. Tests hold each of them to the program: every JSON output of
//! `tests/cli` must match its schema, without other fields.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Failure, Out, Outcome, TextOrJson, output};
use crate::tui::shell::describe;
use olm_catalog::similar_names;
use olmap_report::json;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap schema                                  the names of all schemas
  olmap schema catalog > catalog.schema.json    for an editor
  olmap schema bundle show                      output of olmap bundle show -o json

The first line of a file names its schema for yaml-language-server:
  # yaml-language-server: $schema=catalog.schema.json

Exit code: 0 ok, 2 there is no schema of that name.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of a schema: a kind of file, or a command with JSON output. Default: list all.
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Output format of the list.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

/// Version of JSON Schema that editors support best.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";
/// Key of shared parts in a schema, and the start of references to them.
const DEFINITIONS: (&str, &str) = ("definitions", "#/definitions/");
/// Definitions of schemas of files, and of output.
const SHARED: [&str; 2] = [
    include_str!("../../assets/schemas/file-definitions.yaml"),
    include_str!("../../assets/schemas/output-definitions.yaml"),
];

/// Kind of document that a schema describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    /// File that people write.
    File,
    /// JSON output of the command with this name.
    Output,
}

/// Embedded schema.
struct Schema {
    name: &'static str,
    subject: Subject,
    /// Description of a file, or what the output is.
    about: &'static str,
    /// Text in YAML; `None` for the schema of the configuration, which the program generates.
    text: Option<&'static str>,
}

/// Returns the schema of a file, from `assets/schemas/file`.
macro_rules! file {
    ($name:literal, $about:literal) => {
        Schema {
            name: $name,
            subject: Subject::File,
            about: $about,
            text: Some(include_str!(concat!("../../assets/schemas/file/", $name, ".yaml"))),
        }
    };
}

/// Returns the schema of the output of a command, from `assets/schemas/output`.
macro_rules! output {
    ($name:literal, $about:literal) => {
        Schema {
            name: $name,
            subject: Subject::Output,
            about: $about,
            text: Some(include_str!(concat!("../../assets/schemas/output/", $name, ".yaml"))),
        }
    };
}

const SCHEMAS: &[Schema] = &[
    file!("catalog", "objects of a catalog, one per document"),
    file!("template", "template of a catalog: basic, semver, substitutes or composite"),
    file!("ci", "operators/NAME/ci.yaml"),
    file!("release-config", "operators/NAME/VERSION/release-config.yaml"),
    file!("expectations", "upgrade expectations (olmap expect)"),
    file!("baseline", "accepted findings (--baseline)"),
    file!("composition", "catalogs to combine (olmap compose)"),
    file!("edits", "edits in JSON (olmap edit apply)"),
    file!("repository", ".olmap.toml of a repository"),
    Schema { name: "config", subject: Subject::File, about: "configuration of the explorer", text: None },
    output!("apis", "APIs and packages with providers and dependents"),
    output!("bundle-diff", "difference of two bundles"),
    output!("bundle-show", "contents of a bundle"),
    output!("bundle-validate", "findings of bundles"),
    output!("cache-show", "size of the cache"),
    output!("cel", "result of a CEL rule"),
    output!("cluster", "installed operators"),
    output!("crds-check", "resources that new CRDs refuse"),
    output!("crds-diff", "difference of CRDs"),
    output!("crds-graph", "safety of upgrade steps"),
    output!("deprecations", "deprecations before a release"),
    output!("diff", "difference of two catalogs"),
    output!("doctor", "information for a bug report"),
    output!("edit", "effects of an edit"),
    output!("expect", "results of expectations"),
    output!("explain", "a rule, or all rules"),
    output!("extract", "contents of a subset"),
    output!("graph", "upgrade graph; its edges with jsonl"),
    output!("history", "changes of a package by commit"),
    output!("image-build", "built image"),
    output!("keys", "keys of the explorer"),
    output!("list-bundles", "bundles of a catalog"),
    output!("list-catalogs", "catalogs of a repository"),
    output!("list-channels", "channels of a catalog"),
    output!("list-images", "images of a catalog"),
    output!("list-packages", "packages of a catalog"),
    output!("list-repository", "catalogs, templates and bundles of a repository"),
    output!("locate", "locations of a name"),
    output!("mirror-check", "upgrades that mirroring breaks"),
    output!("mirror-filter", "catalog that oc-mirror publishes"),
    output!("overview", "packages across OpenShift versions"),
    output!("path", "upgrade path"),
    output!("plan", "plan of a cluster update"),
    output!("range", "versions that a range matches"),
    output!("readiness", "packages that OLM v1 can take over"),
    output!("resolve", "resolution of dependencies"),
    output!("resources", "custom resources of a version"),
    output!("stuck", "stuck versions"),
    output!("successors", "upgrade targets; jsonl: one"),
    output!("template-check", "catalogs that differ from their template"),
    output!("validate", "findings"),
];

impl Schema {
    fn title(&self) -> String {
        let about = self.about;
        match self.subject {
            Subject::File => format!("{}{}", about[..1].to_uppercase(), &about[1..]),
            Subject::Output => format!("JSON output of olmap {}: {about}", self.name.replace('-', " ")),
        }
    }

    /// Returns the schema with the definitions that it uses.
    fn assemble(&self) -> Result<Value, Failure> {
        let Some(text) = self.text else { return Ok(describe::configuration_schema()) };
        let read = |text: &str| {
            serde_yaml::from_str::<Map<String, Value>>(text)
                .map_err(|error| Failure::new(format!("schema {} is not YAML: {error}", self.name)))
        };
        let body = read(text)?;
        let mut shared = Map::new();
        for text in SHARED {
            shared.extend(read(text)?);
        }
        let mut whole = Map::new();
        whole.insert("$schema".to_owned(), DRAFT.into());
        whole.insert("title".to_owned(), self.title().into());
        whole.extend(body);
        let whole = Value::Object(whole);
        let mut names = BTreeSet::new();
        collect_references(&whole, &shared, &mut names);
        let Value::Object(mut whole) = whole else { return Ok(whole) };
        if !names.is_empty() {
            let used = shared.into_iter().filter(|(name, _)| names.contains(name.as_str()));
            whole.insert(DEFINITIONS.0.to_owned(), Value::Object(used.collect()));
        }
        Ok(Value::Object(whole))
    }
}

/// Adds the names of all definitions that a value refers to, also through other definitions.
fn collect_references(value: &Value, shared: &Map<String, Value>, names: &mut BTreeSet<String>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(members) => {
                let name = members.get("$ref").and_then(Value::as_str);
                let name = name.and_then(|target| target.strip_prefix(DEFINITIONS.1));
                let name = name.and_then(|path| path.split('/').next());
                if let Some(name) = name.filter(|name| !names.contains(*name)) {
                    names.insert(name.to_owned());
                    pending.extend(shared.get(name));
                }
                pending.extend(members.values());
            }
            _ => {}
        }
    }
}

pub fn run_schema(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.name.is_empty() {
        out.print(&match args.format {
            TextOrJson::Text => list_schemas(),
            TextOrJson::Json | TextOrJson::Yaml => {
                let kind = |schema: &Schema| match schema.subject {
                    Subject::File => "file",
                    Subject::Output => "output",
                };
                let row = |schema: &Schema| json!({"name": schema.name, "kind": kind(schema), "title": schema.title()});
                output::encode_json(args.format, json::to_pretty_json(&SCHEMAS.iter().map(row).collect::<Vec<_>>()))
            }
        })?;
        return Ok(Outcome::Fine);
    }
    let name = args.name.join("-");
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let close = similar_names::suggest_closest(&name, SCHEMAS.iter().map(|schema| schema.name));
        let hint = close.map_or_else(
            || "olmap schema lists them".to_owned(),
            |close| format!("did you mean {close}? olmap schema lists them"),
        );
        return Err(Failure::new(format!("no schema {name}")).with_hint(hint).into());
    };
    out.print(&output::encode_json(args.format, json::to_pretty_json(&schema.assemble()?)))?;
    Ok(Outcome::Fine)
}

/// Returns the names of all schemas, with descriptions.
fn list_schemas() -> String {
    let mut text = String::new();
    for (subject, heading) in [(Subject::File, "Files:"), (Subject::Output, "Output (-o json):")] {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(heading);
        text.push('\n');
        for schema in SCHEMAS.iter().filter(|schema| schema.subject == subject) {
            text.push_str(&format!("  {:<16} {}\n", schema.name, schema.about));
        }
    }
    text
}
