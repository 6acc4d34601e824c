//! Custom resources as text for `kubectl apply -f`.

use std::fmt::Write as _;

use super::plain;
use crate::{
    catalog::{Node, text::emit},
    plan::resources::{Remark, Resources, Step},
};

/// Renders one YAML document per object.
pub fn yaml(objects: &[Node<'_>]) -> String {
    objects.iter().map(emit::yaml).collect::<Vec<_>>().join("---\n")
}

/// Renders a `List` of all objects.
pub fn json(objects: &[Node<'_>]) -> String {
    let items = objects.iter().map(|object| indented(&emit::json(object))).collect::<Vec<_>>().join(",\n");
    format!(
        "{{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"List\",\n    \"items\": [\n{items}\n    ]\n}}\n"
    )
}

fn indented(json: &str) -> String {
    json.trim_end().lines().map(|line| format!("        {line}")).collect::<Vec<_>>().join("\n")
}

/// Renders the resources as text to paste, preceded by the remarks as comments.
pub fn commented(resources: &Resources) -> String {
    format!("{}{}", comments(&resources.remarks), yaml(&resources.objects))
}

fn comments(remarks: &[Remark]) -> String {
    let word = |remark: &Remark| if remark.refuses { "OLM refuses it: " } else { "" };
    remarks.iter().fold(String::new(), |mut out, remark| {
        let _ = writeln!(out, "# {}{}", word(remark), plain::line(&remark.text));
        out
    })
}

/// Renders the steps of a plan in order: the action as a comment, then the objects to apply.
pub fn steps(steps: &[Step]) -> String {
    let mut out = String::new();
    for (at, step) in steps.iter().enumerate() {
        let _ = writeln!(out, "{}# {}. {}", if at > 0 { "\n" } else { "" }, at + 1, plain::line(&step.words));
        out.push_str(&comments(&step.remarks));
        if !step.objects.is_empty() {
            let _ = write!(out, "---\n{}", yaml(&step.objects));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::text::{json as json_text, yaml as yaml_text},
        plan::resources::{Choices, Stop, sequence},
        upgrade::Engine,
        version::VersionRelease,
    };

    fn steps_of(package: &str) -> Vec<Step> {
        let stop = |version: &str| Stop {
            engine: Engine::V1,
            package: package.into(),
            channel: None,
            bundle: format!("{package}.v{version}\n---\nkind: Other").as_str().into(),
            version: VersionRelease::parse(version, "").ok(),
        };
        sequence(&[stop("1.0.0"), stop("2.0.0")], false, |_| None, |_| Choices::default()).unwrap()
    }

    #[test]
    fn steps_are_comments_and_documents_with_any_names() {
        let steps = steps_of("tide");
        let text = super::steps(&steps);
        assert_eq!(text.lines().filter(|line| *line == "---").count(), 4, "{text}");
        assert!(text.starts_with("# 1. install tide.v1.0.0\u{240a}---"), "{text}");
        assert!(text.lines().all(|line| !line.starts_with("kind: Other")), "{text}");
    }

    #[test]
    fn yaml_and_json_are_equivalent() {
        let steps = steps_of("tide");
        let objects = &steps[0].objects;
        let json = json(objects);
        let list = json_text::parse(json.as_bytes()).unwrap();
        let items = list.get("items").unwrap().items();
        assert_eq!(items.len(), objects.len());
        for (item, object) in items.iter().zip(objects) {
            let text = yaml(std::slice::from_ref(object));
            assert!(item.same_meaning(&yaml_text::parse(text.as_bytes()).unwrap()), "{text}");
        }
    }
}
