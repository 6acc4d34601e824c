//! Checks of the conversion between versions of a CRD.

use super::{Checker, FORBIDDEN, NOT_SUPPORTED, REQUIRED, internal::Conversion};
use crate::{
    bundle::{
        read::{at, text, whole},
        suites::{names::is_dns1035_label, url::is_request_uri},
    },
    catalog::Node,
};

const FIELD: &str = "spec.conversion";

pub(super) fn check(conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    let client_field = format!("{FIELD}.webhookClientConfig");
    let review_field = format!("{FIELD}.conversionReviewVersions");
    match conversion.strategy.as_str() {
        "None" | "Webhook" => {}
        "" => checker.required(format!("{FIELD}.strategy"), span),
        other => {
            let message = format!("`{other}` is neither None nor Webhook");
            checker.fault_of(NOT_SUPPORTED, format!("{FIELD}.strategy"), message, span);
        }
    }
    if conversion.strategy != "Webhook" {
        if conversion.client.is_some() {
            checker.fault_of(FORBIDDEN, client_field, "must only be set with the strategy Webhook", span);
        }
        if !conversion.review_versions.is_empty() {
            checker.fault_of(FORBIDDEN, review_field, "must only be set with the strategy Webhook", span);
        }
        return;
    }
    match conversion.client {
        None => checker.fault_of(REQUIRED, client_field, "is required with the strategy Webhook", span),
        Some(client) => self::client(client, &client_field, checker),
    }
    review_versions(&conversion.review_versions, &review_field, conversion, checker);
}

fn client(client: &Node, field: &str, checker: &mut Checker) {
    let span = client.span;
    match (at(client, &["url"]), at(client, &["service"])) {
        (Some(_), None) => {
            let url = text(client, &["url"]);
            if !is_webhook_url(&url) {
                checker.fault(format!("{field}.url"), format!("`{url}` must be https://HOST[/PATH]"), span);
            }
        }
        (None, Some(service)) => {
            for name in ["name", "namespace"] {
                if text(service, &[name]).is_empty() {
                    checker.required(format!("{field}.service.{name}"), span);
                }
            }
            if whole(service, &["port"]).is_some_and(|port| !(1..=65535).contains(&port)) {
                checker.fault(format!("{field}.service.port"), "must be between 1 and 65535", span);
            }
            let path = text(service, &["path"]);
            if !path.is_empty() && !path.starts_with('/') {
                checker.fault(format!("{field}.service.path"), format!("`{path}` must begin with /"), span);
            }
        }
        _ => checker.fault_of(REQUIRED, field, "needs either url or service", span),
    }
}

fn is_webhook_url(url: &str) -> bool {
    let host = url.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    is_request_uri(url)
        && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !url.contains(['?', '#'])
}

fn review_versions(versions: &[String], field: &str, conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    if versions.is_empty() {
        return checker.required(field, span);
    }
    for (at, version) in versions.iter().enumerate() {
        let field = format!("{field}[{at}]");
        if versions[..at].contains(version) {
            checker.fault(field, format!("`{version}` is there twice"), span);
        } else if !is_dns1035_label(version) {
            checker.fault(field, format!("`{version}` is no DNS label"), span);
        }
    }
    if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        checker.fault(field, "must have v1 or v1beta1", span);
    }
}
