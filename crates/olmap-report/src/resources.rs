//! Custom resources as text for `kubectl apply -f`.

use std::fmt::Write as _;

use super::escape;
use olm_catalog::{Node, text::emit};
use olm_plan::resources::{InstallStep, ResourceNote, Resources};

/// Renders one YAML document per object.
pub fn render_object_documents(objects: &[Node<'_>]) -> String {
    objects.iter().map(emit::write_yaml).collect::<Vec<_>>().join("---\n")
}

/// Renders a `List` of all objects.
pub fn render_object_list(objects: &[Node<'_>]) -> String {
    let items =
        objects.iter().map(|object| indent_json(&emit::write_json(object))).collect::<Vec<_>>().join(",\n");
    format!(
        "{{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"List\",\n    \"items\": [\n{items}\n    ]\n}}\n"
    )
}

fn indent_json(json: &str) -> String {
    json.trim_end().lines().map(|line| format!("        {line}")).collect::<Vec<_>>().join("\n")
}

/// Renders the resources as text to paste, preceded by the remarks as comments.
pub fn render_commented_resources(resources: &Resources) -> String {
    format!("{}{}", remark_comments(&resources.remarks), render_object_documents(&resources.objects))
}

fn remark_comments(remarks: &[ResourceNote]) -> String {
    let word = |remark: &ResourceNote| if remark.refuses { "OLM refuses it: " } else { "" };
    remarks.iter().fold(String::new(), |mut out, remark| {
        let _ = writeln!(out, "# {}{}", word(remark), escape::escape_line(&remark.text));
        out
    })
}

/// Renders the steps of a plan in order: the action as a comment, then the objects to apply.
pub fn render_plan_steps(steps: &[InstallStep]) -> String {
    let mut out = String::new();
    for (at, step) in steps.iter().enumerate() {
        let _ = writeln!(
            out,
            "{}# {}. {}",
            if at > 0 { "\n" } else { "" },
            at + 1,
            escape::escape_line(&step.text)
        );
        out.push_str(&remark_comments(&step.remarks));
        if !step.objects.is_empty() {
            let _ = write!(out, "---\n{}", render_object_documents(&step.objects));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::text::{json as json_text, yaml as yaml_text};
    use olm_plan::resources::{InstallTarget, ResourceOptions, install_steps};
    use olm_upgrade::Engine;
    use olm_version::VersionRelease;

    fn sample_steps(package: &str) -> Vec<InstallStep> {
        let stop = |version: &str| InstallTarget {
            engine: Engine::V1,
            package: package.into(),
            channel: None,
            bundle: format!("{package}.v{version}\n---\nkind: Other").as_str().into(),
            version: VersionRelease::parse(version, "").ok(),
        };
        install_steps(&[stop("1.0.0"), stop("2.0.0")], false, |_| None, |_| ResourceOptions::default())
            .unwrap()
    }

    #[test]
    fn steps_are_comments_and_documents_with_any_names() {
        let steps = sample_steps("tide");
        let text = super::render_plan_steps(&steps);
        assert_eq!(text.lines().filter(|line| *line == "---").count(), 4, "{text}");
        assert!(text.starts_with("# 1. install tide.v1.0.0\u{240a}---"), "{text}");
        assert!(text.lines().all(|line| !line.starts_with("kind: Other")), "{text}");
    }

    #[test]
    fn yaml_and_json_are_equivalent() {
        let steps = sample_steps("tide");
        let objects = &steps[0].objects;
        let json = render_object_list(objects);
        let list = json_text::parse_json(json.as_bytes()).unwrap();
        let items = list.get("items").unwrap().items();
        assert_eq!(items.len(), objects.len());
        for (item, object) in items.iter().zip(objects) {
            let text = render_object_documents(std::slice::from_ref(object));
            assert!(item.has_same_value(&yaml_text::parse_yaml(text.as_bytes()).unwrap()), "{text}");
        }
    }
}
