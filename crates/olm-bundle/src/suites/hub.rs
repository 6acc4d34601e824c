//! Suites `operatorhub`, `operatorhubv2`, `standardcapabilities` and `standardcategories`.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/operatorhub*.go`, `standard*.go`.

use super::{
    Report, Settings, csv,
    loaded::LoadedBundle,
    removed_apis,
    text_formats::{is_address, is_request_uri},
};
use crate::{
    console_annotations::CAPABILITY_LEVELS,
    field_access::{annotation_value, items_at, node_at, text_at},
};
use olm_version::Version;

/// Media types of an icon.
const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

/// Categories of OperatorHub.
const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

pub(super) fn check_operatorhub(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    check_provider(bundle, out);
    check_maintainers(bundle, out);
    check_links(bundle, out);
    check_version(bundle, out);
    check_icon(bundle, out);
    csv::check_min_kube_version(bundle, out);
    removed_apis::check_removed_apis(bundle, settings, out);
}

pub(super) fn check_deprecated_operatorhub(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    check_operatorhub(bundle, settings, out);
    check_capabilities(bundle, out);
    check_categories(bundle, settings, out);
    out.set_kind("DeprecatedValidator").add_warning(
        "the suite `operatorhub` is deprecated: use operatorhubv2, standardcapabilities and standardcategories",
        None,
    );
}

fn check_provider(bundle: &LoadedBundle, out: &mut Report) {
    if text_at(bundle.csv_node(), &["spec", "provider", "name"]).trim().is_empty() {
        out.add_error("there is no provider's name", bundle.csv_location(&["spec", "provider"]));
    }
}

fn check_maintainers(bundle: &LoadedBundle, out: &mut Report) {
    for maintainer in items_at(bundle.csv_node(), &["spec", "maintainers"]) {
        let (name, email) = (text_at(maintainer, &["name"]), text_at(maintainer, &["email"]));
        let place = || Some(bundle.csv().location(maintainer.span));
        if name.is_empty() || email.is_empty() {
            out.add_error("a maintainer needs a name and an email", place());
        }
        if !email.is_empty() && !is_address(&email) {
            out.add_error(format!("the maintainer's email `{email}` is no address"), place());
        }
    }
}

fn check_links(bundle: &LoadedBundle, out: &mut Report) {
    for link in items_at(bundle.csv_node(), &["spec", "links"]) {
        let (name, url) = (text_at(link, &["name"]), text_at(link, &["url"]));
        let place = || Some(bundle.csv().location(link.span));
        if name.is_empty() || url.is_empty() {
            out.add_error("a link needs a name and a url", place());
        }
        if !url.is_empty() && !is_request_uri(&url) {
            out.add_error(format!("the link `{url}` is no absolute URL"), place());
        }
    }
}

fn check_version(bundle: &LoadedBundle, out: &mut Report) {
    let given = text_at(bundle.csv_node(), &["spec", "version"]);
    let is_zero = Version::parse_tolerant(&given).map_or(true, |version| version == Version::new(0, 0, 0));
    if is_zero {
        out.add_error("spec.version must be set", bundle.csv_location(&["spec", "version"]));
    }
}

fn check_icon(bundle: &LoadedBundle, out: &mut Report) {
    let place = || bundle.csv_location(&["spec", "icon"]);
    let Some(icons) = node_at(bundle.csv_node(), &["spec", "icon"]) else {
        out.add_warning("there is no icon", place());
        return;
    };
    if icons.items().len() != 1 {
        out.add_error("there must be one icon", place());
    }
    let Some(icon) = icons.items().first() else { return };
    let (data, media_type) = (text_at(icon, &["base64data"]), text_at(icon, &["mediatype"]));
    if data.is_empty() || media_type.is_empty() {
        out.add_error("an icon needs base64data and a mediatype", place());
    }
    if !media_type.is_empty() && !MEDIA_TYPES.contains(&media_type.as_ref()) {
        let message = format!("the icon's mediatype `{media_type}` is none of {}", MEDIA_TYPES.join(", "));
        out.add_error(message, place());
    }
}

pub(super) fn check_capabilities(bundle: &LoadedBundle, out: &mut Report) {
    let Some(level) = annotation_value(bundle.csv_node(), "capabilities") else { return };
    if !CAPABILITY_LEVELS.contains(&level.as_ref()) {
        let message = format!("capabilities `{level}` is none of {}", CAPABILITY_LEVELS.join(", "));
        out.add_error(message, bundle.csv_location(&["metadata", "annotations", "capabilities"]));
    }
}

pub(super) fn check_categories(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    let Some(categories) = annotation_value(bundle.csv_node(), "categories") else { return };
    let is_known = |category: &str| match &settings.categories {
        Some(known) => known.iter().any(|known| known == category),
        None => CATEGORIES.contains(&category),
    };
    for category in categories.split(',').map(str::trim).filter(|category| !is_known(category)) {
        let message = format!("category `{category}` is no standard category");
        out.add_error(message, bundle.csv_location(&["metadata", "annotations", "categories"]));
    }
}
