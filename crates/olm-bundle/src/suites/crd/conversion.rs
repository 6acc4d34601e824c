//! Checks of the conversion between versions of a CRD.

use super::{Checker, FORBIDDEN, NOT_SUPPORTED, REQUIRED, internal::Conversion};
use crate::{
    field_access::{integer_at, node_at, text_at},
    suites::{names::is_dns1035_label, url::is_request_uri},
};
use olm_catalog::Node;

const FIELD: &str = "spec.conversion";

pub(super) fn check_conversion(conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    let client_field = format!("{FIELD}.webhookClientConfig");
    let review_field = format!("{FIELD}.conversionReviewVersions");
    match conversion.strategy.as_str() {
        "None" | "Webhook" => {}
        "" => checker.add_required(format!("{FIELD}.strategy"), span),
        other => {
            let message = format!("`{other}` is neither None nor Webhook");
            checker.add_error_of_kind(NOT_SUPPORTED, format!("{FIELD}.strategy"), message, span);
        }
    }
    if conversion.strategy != "Webhook" {
        if conversion.client.is_some() {
            checker.add_error_of_kind(
                FORBIDDEN,
                client_field,
                "must only be set with the strategy Webhook",
                span,
            );
        }
        if !conversion.review_versions.is_empty() {
            checker.add_error_of_kind(
                FORBIDDEN,
                review_field,
                "must only be set with the strategy Webhook",
                span,
            );
        }
        return;
    }
    match conversion.client {
        None => {
            checker.add_error_of_kind(REQUIRED, client_field, "is required with the strategy Webhook", span);
        }
        Some(client) => self::check_client(client, &client_field, checker),
    }
    check_review_versions(&conversion.review_versions, &review_field, conversion, checker);
}

fn check_client(client: &Node, field: &str, checker: &mut Checker) {
    let span = client.span;
    match (node_at(client, &["url"]), node_at(client, &["service"])) {
        (Some(_), None) => {
            let url = text_at(client, &["url"]);
            if !is_webhook_url(&url) {
                checker.add_error(
                    format!("{field}.url"),
                    format!("`{url}` must be https://HOST[/PATH]"),
                    span,
                );
            }
        }
        (None, Some(service)) => {
            for name in ["name", "namespace"] {
                if text_at(service, &[name]).is_empty() {
                    checker.add_required(format!("{field}.service.{name}"), span);
                }
            }
            if integer_at(service, &["port"]).is_some_and(|port| !(1..=65535).contains(&port)) {
                checker.add_error(format!("{field}.service.port"), "must be between 1 and 65535", span);
            }
            let path = text_at(service, &["path"]);
            if !path.is_empty() && !path.starts_with('/') {
                checker.add_error(
                    format!("{field}.service.path"),
                    format!("`{path}` must begin with /"),
                    span,
                );
            }
        }
        _ => checker.add_error_of_kind(REQUIRED, field, "needs either url or service", span),
    }
}

fn is_webhook_url(url: &str) -> bool {
    let host = url.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    is_request_uri(url)
        && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !url.contains(['?', '#'])
}

fn check_review_versions(versions: &[String], field: &str, conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    if versions.is_empty() {
        return checker.add_required(field, span);
    }
    for (at, version) in versions.iter().enumerate() {
        let field = format!("{field}[{at}]");
        if versions[..at].contains(version) {
            checker.add_error(field, format!("`{version}` is there twice"), span);
        } else if !is_dns1035_label(version) {
            checker.add_error(field, format!("`{version}` is no DNS label"), span);
        }
    }
    if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        checker.add_error(field, "must have v1 or v1beta1", span);
    }
}
