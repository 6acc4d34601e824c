//! Check of the JSON that the program prints, for every run in tests. Other test programs include it with `run.rs`.

use std::{collections::HashMap, process::Command, sync::OnceLock};

use jsonschema::Validator;
use serde_json::Value;

/// Commands whose JSON is a catalog, a template, a schema or an image configuration, and has no schema of output.
pub const OTHER_JSON: [&str; 6] =
    ["config", "init", "render", "schema", "template-convert", "template-render"];

/// Runs the program without [`check_json_output`], which needs its answer.
fn run_unchecked(args: &[&str]) -> String {
    let run =
        Command::new(env!("CARGO_BIN_EXE_olmap")).args(args).env("OLMAP_CONFIG", "none").output().unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Returns the printed schema.
pub fn schema(name: &str) -> Value {
    serde_json::from_str(&run_unchecked(&["schema", name])).unwrap()
}

/// Returns the names of all schemas of a kind: `file` or `output`.
pub fn names(kind: &str) -> Vec<String> {
    let rows: Value = serde_json::from_str(&run_unchecked(&["schema", "-o", "json"])).unwrap();
    let rows = rows.as_array().unwrap().iter().filter(|row| row["kind"] == kind);
    rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

/// Forbids properties that the schema does not list. Users of the schema must accept them, because later versions add fields.
fn forbid_unlisted(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(forbid_unlisted),
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(forbid_unlisted);
        }
        _ => {}
    }
}

/// Compiles a schema of output so that it lists every field.
fn strict_validator(name: &str) -> Validator {
    let mut schema = schema(name);
    forbid_unlisted(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

/// Validators of output by the name of the schema.
fn output_validators() -> &'static HashMap<String, OnceLock<Validator>> {
    static ALL: OnceLock<HashMap<String, OnceLock<Validator>>> = OnceLock::new();
    ALL.get_or_init(|| names("output").into_iter().map(|name| (name, OnceLock::new())).collect())
}

/// Checks standard output of a command against its schema, if it is JSON.
///
/// # Panics
///
/// If it does not match, or if the command has no schema.
pub fn check_json_output(args: &[String], out: &str) {
    let other_format =
        |word: &String| ["sarif", "gitlab", "rdjson"].iter().any(|format| word.contains(format));
    if !out.starts_with(['{', '[']) || args.iter().any(other_format) {
        return;
    }
    let values = match serde_json::from_str(out) {
        Ok(value) => vec![value],
        Err(_) => match out.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>() {
            Ok(values) => values,
            Err(_) => return,
        },
    };
    let words: Vec<&str> = args.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let mut commands = words.iter().zip(words.iter().skip(1).map(Some).chain([None]));
    let known = commands.find_map(|(word, next)| {
        let two = next.map(|next| format!("{word}-{next}")).unwrap_or_default();
        [two.as_str(), word].into_iter().find_map(|name| {
            let validator = output_validators().get_key_value(name);
            (validator.is_some() || OTHER_JSON.contains(&name)).then_some(validator)
        })
    });
    assert!(known.is_some(), "the JSON of {args:?} has no schema (assets/schemas/output)");
    let Some(Some((name, validator))) = known else { return };
    let validator = validator.get_or_init(|| strict_validator(name));
    for value in &values {
        let wrong: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{args:?} does not match olmap schema {name}:\n{}", wrong.join("\n"));
    }
}
