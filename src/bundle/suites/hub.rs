//! Suites `operatorhub`, `operatorhubv2`, `standardcapabilities` and `standardcategories`.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/operatorhub*.go`, `standard*.go`.

use super::{Report, Settings, csv, loaded::Loaded, mail::is_address, removed, url::is_request_uri};
use crate::{
    bundle::read::{annotation, at, items, text},
    version::Version,
};

/// Media types of an icon.
const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

/// Capability levels.
const CAPABILITIES: [&str; 5] =
    ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

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

pub(super) fn check(bundle: &Loaded, settings: &Settings, out: &mut Report) {
    provider(bundle, out);
    maintainers(bundle, out);
    links(bundle, out);
    version(bundle, out);
    icon(bundle, out);
    csv::min_kube_version(bundle, out);
    removed::check(bundle, settings, out);
}

pub(super) fn check_deprecated(bundle: &Loaded, settings: &Settings, out: &mut Report) {
    check(bundle, settings, out);
    capabilities(bundle, out);
    categories(bundle, settings, out);
    out.with_kind("DeprecatedValidator").warning(
        "the suite `operatorhub` is deprecated: use operatorhubv2, standardcapabilities and standardcategories",
        None,
    );
}

fn provider(bundle: &Loaded, out: &mut Report) {
    if text(bundle.node(), &["spec", "provider", "name"]).trim().is_empty() {
        out.error("there is no provider's name", bundle.place(&["spec", "provider"]));
    }
}

fn maintainers(bundle: &Loaded, out: &mut Report) {
    for maintainer in items(bundle.node(), &["spec", "maintainers"]) {
        let (name, email) = (text(maintainer, &["name"]), text(maintainer, &["email"]));
        let place = || Some(bundle.csv().place(maintainer.span));
        if name.is_empty() || email.is_empty() {
            out.error("a maintainer needs a name and an email", place());
        }
        if !email.is_empty() && !is_address(&email) {
            out.error(format!("the maintainer's email `{email}` is no address"), place());
        }
    }
}

fn links(bundle: &Loaded, out: &mut Report) {
    for link in items(bundle.node(), &["spec", "links"]) {
        let (name, url) = (text(link, &["name"]), text(link, &["url"]));
        let place = || Some(bundle.csv().place(link.span));
        if name.is_empty() || url.is_empty() {
            out.error("a link needs a name and a url", place());
        }
        if !url.is_empty() && !is_request_uri(&url) {
            out.error(format!("the link `{url}` is no absolute URL"), place());
        }
    }
}

fn version(bundle: &Loaded, out: &mut Report) {
    let given = text(bundle.node(), &["spec", "version"]);
    let is_zero = Version::parse_tolerant(&given).map_or(true, |version| version == Version::new(0, 0, 0));
    if is_zero {
        out.error("spec.version must be set", bundle.place(&["spec", "version"]));
    }
}

fn icon(bundle: &Loaded, out: &mut Report) {
    let place = || bundle.place(&["spec", "icon"]);
    let Some(icons) = at(bundle.node(), &["spec", "icon"]) else {
        out.warning("there is no icon", place());
        return;
    };
    if icons.items().len() != 1 {
        out.error("there must be one icon", place());
    }
    let Some(icon) = icons.items().first() else { return };
    let (data, media_type) = (text(icon, &["base64data"]), text(icon, &["mediatype"]));
    if data.is_empty() || media_type.is_empty() {
        out.error("an icon needs base64data and a mediatype", place());
    }
    if !media_type.is_empty() && !MEDIA_TYPES.contains(&media_type.as_ref()) {
        let message = format!("the icon's mediatype `{media_type}` is none of {}", MEDIA_TYPES.join(", "));
        out.error(message, place());
    }
}

pub(super) fn capabilities(bundle: &Loaded, out: &mut Report) {
    let Some(level) = annotation(bundle.node(), "capabilities") else { return };
    if !CAPABILITIES.contains(&level.as_ref()) {
        let message = format!("capabilities `{level}` is none of {}", CAPABILITIES.join(", "));
        out.error(message, bundle.place(&["metadata", "annotations", "capabilities"]));
    }
}

pub(super) fn categories(bundle: &Loaded, settings: &Settings, out: &mut Report) {
    let Some(categories) = annotation(bundle.node(), "categories") else { return };
    let is_known = |category: &str| match &settings.categories {
        Some(known) => known.iter().any(|known| known == category),
        None => CATEGORIES.contains(&category),
    };
    for category in categories.split(',').map(str::trim).filter(|category| !is_known(category)) {
        let message = format!("category `{category}` is no standard category");
        out.error(message, bundle.place(&["metadata", "annotations", "categories"]));
    }
}
