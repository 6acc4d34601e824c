//! Suite `openshift`: APIs that Kubernetes removed, compared with the OpenShift versions of a bundle.
//!
//! Source: `redhat-openshift-ecosystem/ocp-olm-catalog-validator`, `pkg/validation/openshift.go`.

use super::{
    Level, Report, Settings, VALIDATION_FAILED,
    loaded::LoadedBundle,
    removed_apis::{self, MAX_OPENSHIFT_PROPERTY, type_value_pairs},
};
use crate::field_access::annotation_value;
use olm_catalog::text::json;
use olm_version::Version;

/// Label with the OpenShift versions of a bundle.
const LABEL: &str = "com.redhat.openshift.versions";

/// Source of the label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LabelSource {
    /// Its value: `range`.
    Value(String),
    /// A file that contains it, or the error of reading it: `file`.
    File {
        /// Name of the file as given by the user.
        name: String,
        /// Content of the file, or the error.
        content: Result<String, String>,
    },
}

pub(super) fn check_openshift(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    let name = bundle.csv_name();
    let uses_removed = repeat_removed(bundle, out);
    let maximum = check_maximum(bundle, &name, uses_removed, out);
    check_label(bundle, settings, &name, (uses_removed, maximum), out);
}

/// Repeats the warnings about removed APIs. Returns true if there is one.
fn repeat_removed(bundle: &LoadedBundle, out: &mut Report) -> bool {
    let mut removed = Report::default();
    removed_apis::check_removed_apis(bundle, &Settings::default(), &mut removed);
    let warnings = removed.verdicts.into_iter().filter(|verdict| verdict.level == Level::Warning);
    let mut is_any = false;
    for verdict in warnings {
        is_any = true;
        out.set_kind(VALIDATION_FAILED).add_warning(verdict.message, verdict.location);
    }
    is_any
}

/// Checks the maximum OpenShift version of a bundle, and returns it.
fn check_maximum(bundle: &LoadedBundle, name: &str, uses_removed: bool, out: &mut Report) -> Option<String> {
    let place = || bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
    let properties = annotation_value(bundle.csv_node(), "olm.properties").filter(|text| !text.is_empty());
    let mut maximum = None;
    if let Some(properties) = properties {
        let list = json::parse_json(properties.as_bytes()).ok().and_then(|list| type_value_pairs(&list));
        match list {
            Some(list) => {
                let found = list.into_iter().find(|(kind, _)| kind == MAX_OPENSHIFT_PROPERTY);
                maximum = found.map(|(_, value)| value).filter(|value| !value.is_empty());
            }
            None => out.add_error(
                format!(
                    "({name}) the annotation `olm.properties` must be a list of {{type, value}} with texts"
                ),
                place(),
            ),
        }
    }
    let Some(text) = maximum else {
        if uses_removed {
            let words = "uses removed APIs and has no";
            out.add_error(
                format!("({name}) {words} {MAX_OPENSHIFT_PROPERTY} below 4.9 in `olm.properties`"),
                place(),
            );
        }
        return None;
    };
    match Version::parse_tolerant(&text) {
        Err(_) => {
            out.add_error(format!("({name}) {MAX_OPENSHIFT_PROPERTY} `{text}` is not a version"), place());
        }
        Ok(version) if !is_minor_version(&version) => {
            let message = format!(
                "({name}) {MAX_OPENSHIFT_PROPERTY} `{text}` must have major and minor only; the rest is ignored"
            );
            out.add_warning(message, place());
        }
        Ok(version) if uses_removed && (version.major(), version.minor()) >= (4, 9) => {
            let message = format!(
                "({name}) {MAX_OPENSHIFT_PROPERTY} `{text}` must be below 4.9, since the bundle uses removed APIs"
            );
            out.add_error(message, place());
        }
        Ok(_) => {}
    }
    Some(text)
}

/// Returns true if a version does not have a patch part or pre-release.
pub(super) fn is_minor_version(version: &Version) -> bool {
    version.cmp_precedence(&Version::new(version.major(), version.minor(), 0)).is_eq()
}

/// Checks the range of OpenShift versions in the label.
fn check_label(
    bundle: &LoadedBundle,
    settings: &Settings,
    name: &str,
    (uses_removed, maximum): (bool, Option<String>),
    out: &mut Report,
) {
    let Some(source) = &settings.openshift else { return };
    let value = match label_value(source) {
        Ok(value) => value,
        Err(message) => return out.add_error(format!("({name}) {message}"), None),
    };
    if value.is_empty() {
        if uses_removed {
            let message =
                format!("({name}) uses removed APIs, and {LABEL} says for which OpenShift versions nowhere");
            out.add_error(message, None);
        }
        return;
    }
    let range = VersionRange::parse(&value);
    if uses_removed {
        match &range {
            None => out.add_error(format!("({name}) {LABEL} `{value}` is not a range"), None),
            Some(range) if range.contains(&Version::new(4, 9, 0)) => {
                let message =
                    format!("({name}) {LABEL} `{value}` has OpenShift 4.9, which has not the removed APIs");
                out.add_error(message, None);
            }
            Some(_) => {}
        }
    }
    let Some(maximum) = maximum else { return };
    let place = || bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
    let minor = Version::parse_tolerant(&maximum).ok().filter(|_| maximum.contains('.'));
    match (&range, minor) {
        (None, _) => out.add_error(format!("({name}) {LABEL} `{value}` is not a range"), None),
        (Some(_), None) => {
            out.add_error(
                format!("({name}) {MAX_OPENSHIFT_PROPERTY} `{maximum}` must have major and minor"),
                place(),
            );
        }
        (Some(range), Some(version))
            if !range.contains(&Version::new(version.major(), version.minor(), 0)) =>
        {
            out.add_error(
                format!("({name}) {MAX_OPENSHIFT_PROPERTY} `{maximum}` is not in {LABEL} `{value}`"),
                place(),
            );
        }
        _ => {}
    }
}

/// Returns the value of the label; empty if there is none.
fn label_value(source: &LabelSource) -> Result<String, String> {
    let (name, content) = match source {
        LabelSource::Value(value) => return Ok(value.clone()),
        LabelSource::File { name, content } => (name, content),
    };
    let text = content.as_ref().map_err(|reason| format!("cannot read {name}: {reason}"))?;
    // Comments also count.
    let Some((line, at)) = text.lines().find_map(|line| Some((line, line.find(LABEL)?))) else {
        return Ok(String::new());
    };
    let rest = line.get(at + LABEL.len()..).unwrap_or_default();
    if rest.is_empty() || !line.contains(['=', ':']) {
        return Err(format!("{name}: `{line}` gives {LABEL} no value"));
    }
    let value = rest.replace(['"', '\''], "");
    let value = value.strip_prefix('=').unwrap_or(&value);
    Ok(value.strip_prefix(':').unwrap_or(value).trim().to_owned())
}

/// An inclusive range of OpenShift versions.
struct VersionRange {
    first: Version,
    last: Option<Version>,
}

impl VersionRange {
    fn parse(text: &str) -> Option<Self> {
        let version =
            |text: &str| Version::parse(&format!("{}.0", text.strip_prefix('v').unwrap_or(text))).ok();
        if matches!(text, "v4.5,v4.6" | "v4.6,v4.5") {
            return Some(Self { first: Version::new(4, 5, 0), last: None });
        }
        if let Some((first, last)) = text.split_once('-') {
            let has_equal = first.starts_with('=') || last.starts_with('=');
            return (!has_equal).then_some(Self { first: version(first)?, last: Some(version(last)?) });
        }
        match text.strip_prefix('=') {
            Some(only) => Some(Self { first: version(only)?, last: version(only) }),
            None => Some(Self { first: version(text)?, last: None }),
        }
    }

    fn contains(&self, version: &Version) -> bool {
        version.cmp_precedence(&self.first).is_ge()
            && self.last.as_ref().is_none_or(|last| version.cmp_precedence(last).is_le())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_range_like_reference_program() {
        let has = |text: &str, minor: u64| {
            VersionRange::parse(text).map(|range| range.contains(&Version::new(4, minor, 0)))
        };
        for (text, minor, expected) in [
            ("v4.5,v4.6", 20, Some(true)),
            ("v4.6,v4.5", 4, Some(false)),
            ("v4.12,v4.13", 12, None),
            ("=v4.8", 8, Some(true)),
            ("=4.8", 9, Some(false)),
            ("v4.6", 9, Some(true)),
            ("4.6", 5, Some(false)),
            ("v4.6-v4.8", 8, Some(true)),
            ("v4.6-v4.8", 9, Some(false)),
            ("v4.8-v4.6", 7, Some(false)),
            ("=v4.6-v4.8", 7, None),
            ("v4.6-=v4.8", 7, None),
            ("v4.6.1", 7, None),
            ("v4.6 - v4.8", 7, None),
            ("v4.5-v4.6-v4.7", 6, None),
            ("see docs", 6, None),
        ] {
            assert_eq!(has(text, minor), expected, "{text} {minor}");
        }
    }

    #[test]
    fn label_value_comes_from_first_line_with_its_name() {
        let value = |text: &str| {
            label_value(&LabelSource::File { name: "f".to_owned(), content: Ok(text.to_owned()) }).ok()
        };
        for (text, expected) in [
            ("LABEL com.redhat.openshift.versions=v4.6", Some("v4.6")),
            ("FROM x\n  com.redhat.openshift.versions: \"v4.6\"\n", Some("v4.6")),
            ("LABEL com.redhat.openshift.versions=", Some("")),
            ("LABEL com.redhat.openshift.versions", None),
            ("LABEL com.redhat.openshift.versions v4.6", None),
            ("# com.redhat.openshift.versions: see docs", Some("see docs")),
            ("FROM x", Some("")),
        ] {
            assert_eq!(value(text).as_deref(), expected, "{text}");
        }
    }
}
