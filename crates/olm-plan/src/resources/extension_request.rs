//! Request of a `ClusterExtension`: which versions OLM v1 installs from which catalogs.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    InstallTarget, MAX_LABEL_BYTES, ResourceError, ResourceNote, check_subdomain, is_subdomain, mapping_node,
    name_error, string_list, string_node,
};
use olm_catalog::{ChannelName, Member, Node, Span, Value};
use olm_upgrade::cluster::{LabelSelector, SelectorExpression};
use olm_upgrade::v1::{Policy, Query};
use olm_version::masterminds::Constraint;

/// The maximum length of `spec.source.catalog.version` (`clusterextension_types.go`).
const MAX_VERSION_LENGTH: usize = 64;

/// Request of a `ClusterExtension`. Without a range, it pins the version of the target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExtensionRequest {
    /// Channels in addition to the channel of the target.
    pub more_channels: Vec<ChannelName>,
    /// Version range in the Masterminds dialect.
    pub version_range: Option<String>,
    /// Policy for edges.
    pub policy: Policy,
    /// Selector of `ClusterCatalogs`; all catalogs if empty.
    pub selector: LabelSelector,
}

impl ExtensionRequest {
    /// Returns the selected channels; all if empty.
    fn channels(&self, stop: &InstallTarget) -> Vec<ChannelName> {
        stop.channel.iter().chain(&self.more_channels).cloned().collect()
    }

    /// Returns the query of OLM v1's resolver. It does not know the selector.
    pub(super) fn to_query(&self, stop: &InstallTarget) -> Query {
        let pinned = || stop.version.as_ref().map(|version| version.version.without_build().to_string());
        let version = self.version_range.clone().or_else(pinned).unwrap_or_default();
        Query { channels: self.channels(stop), version, policy: self.policy }
    }

    /// Returns the value of `spec.source.catalog`, with remarks.
    ///
    /// # Errors
    ///
    /// Returns an error if the API does not accept a value.
    pub(super) fn catalog_node(
        &self,
        stop: &InstallTarget,
    ) -> Result<(Node<'static>, Vec<ResourceNote>), ResourceError> {
        check_subdomain("the package", stop.package.as_str())?;
        let channels = self.channels(stop);
        for channel in &channels {
            check_subdomain("channel", channel.as_str())?;
        }
        for (key, value) in &self.selector.match_labels {
            check_label_pair(key, value)?;
        }
        self.selector.compile().map_err(ResourceError::Selector)?;
        let (version, mut remarks) = self.version_text(stop)?;
        if self.policy == Policy::SelfCertified {
            let text = "SelfCertified ignores the edges of the catalog: an upgrade may skip versions, or go back to a \
                        lower one, which may lose data";
            remarks.push(ResourceNote { refuses: false, text: text.to_owned() });
        }
        let catalog =
            [("packageName", string_node(stop.package.as_str())), ("version", string_node(&version))];
        let channels = (!channels.is_empty()).then(|| ("channels", string_list(&channels)));
        let selector = (!self.selector.selects_all()).then(|| ("selector", selector_node(&self.selector)));
        let policy = (self.policy != Policy::default())
            .then(|| ("upgradeConstraintPolicy", string_node(self.policy.as_str())));
        Ok((mapping_node(catalog.into_iter().chain(channels).chain(selector).chain(policy)), remarks))
    }

    /// Returns the range, or the version to pin.
    fn version_text(&self, stop: &InstallTarget) -> Result<(String, Vec<ResourceNote>), ResourceError> {
        let long = || ResourceError::LongVersion(stop.bundle.clone());
        if let Some(range) = &self.version_range {
            Constraint::parse(range)
                .map_err(|error| ResourceError::Range { range: range.clone(), reason: error.to_string() })?;
            let text = format!("OLM v1 upgrades by itself to later versions that match {range}");
            let remarks = vec![ResourceNote { refuses: false, text }];
            return if range.len() > MAX_VERSION_LENGTH { Err(long()) } else { Ok((range.clone(), remarks)) };
        }
        let version = stop.version.as_ref().ok_or_else(|| ResourceError::NoVersion(stop.bundle.clone()))?;
        let pinned = version.version.without_build().to_string();
        let mut remarks = Vec::new();
        if !version.version.build().is_empty() || version.release.is_some() {
            let text =
                format!("a pinned version does not tell {} from others of version {pinned}", stop.bundle);
            remarks.push(ResourceNote { refuses: false, text });
        }
        if pinned.len() > MAX_VERSION_LENGTH { Err(long()) } else { Ok((pinned, remarks)) }
    }
}

/// Creates the selector.
fn selector_node(selector: &LabelSelector) -> Node<'static> {
    let expression = |expression: &SelectorExpression| {
        let head = [("key", string_node(&expression.key)), ("operator", string_node(&expression.operator))];
        let values = (!expression.values.is_empty()).then(|| ("values", string_list(&expression.values)));
        mapping_node(head.into_iter().chain(values))
    };
    let expressions = selector.match_expressions.iter().map(expression).collect();
    let expressions = (!selector.match_expressions.is_empty())
        .then(|| ("matchExpressions", Node::new(Value::List(expressions), Span::default())));
    let labels =
        (!selector.match_labels.is_empty()).then(|| ("matchLabels", label_map(&selector.match_labels)));
    mapping_node(expressions.into_iter().chain(labels))
}

/// Creates the map of labels.
fn label_map(labels: &BTreeMap<String, String>) -> Node<'static> {
    let member = |(key, value): (&String, &String)| Member {
        key: Cow::Owned(key.clone()),
        key_span: Span::default(),
        value: string_node(value),
    };
    Node::new(Value::Map(labels.iter().map(member).collect()), Span::default())
}

/// Returns an error unless the key is a label key, with or without a prefix, and the value is a
/// label value.
fn check_label_pair(key: &str, value: &str) -> Result<(), ResourceError> {
    let name = match key.split_once('/') {
        Some((prefix, _)) if !is_subdomain(prefix) => "",
        Some((_, name)) => name,
        None => key,
    };
    if !is_label_text(name) {
        return Err(name_error("the catalog selector", key, "label key"));
    }
    if value.is_empty() || is_label_text(value) {
        Ok(())
    } else {
        Err(name_error("the catalog selector", value, "label value"))
    }
}

fn is_label_text(text: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let is_edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.len() <= MAX_LABEL_BYTES
        && text.bytes().all(is_inner)
        && is_edge(text.bytes().next())
        && is_edge(text.bytes().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::Engine;
    use olm_version::VersionRelease;

    fn lamp() -> InstallTarget {
        InstallTarget {
            engine: Engine::V1,
            package: "lamp".into(),
            channel: Some("stable".into()),
            bundle: "lamp.v1.2.0".into(),
            version: VersionRelease::parse("1.2.0", "").ok(),
        }
    }

    #[test]
    fn request_is_written_with_all_fields() {
        let request = ExtensionRequest {
            more_channels: vec!["fast".into()],
            version_range: Some(">=1.2, <2".to_owned()),
            policy: Policy::SelfCertified,
            selector: LabelSelector {
                match_expressions: vec![SelectorExpression {
                    key: "tier".to_owned(),
                    operator: "NotIn".to_owned(),
                    values: vec!["test".to_owned()],
                }],
                ..LabelSelector::for_catalog("harbour")
            },
        };
        let (node, remarks) = request.catalog_node(&lamp()).unwrap();
        let text = |path: &[&str]| {
            path.iter().try_fold(&node, |node, key| node.get(key)).and_then(Node::as_str).map(str::to_owned)
        };
        assert_eq!(text(&["version"]).as_deref(), Some(">=1.2, <2"));
        assert_eq!(text(&["upgradeConstraintPolicy"]).as_deref(), Some("SelfCertified"));
        let label = ["selector", "matchLabels", "olm.operatorframework.io/metadata.name"];
        assert_eq!(text(&label).as_deref(), Some("harbour"));
        let expression =
            node.get("selector").unwrap().get("matchExpressions").unwrap().items().first().unwrap();
        assert_eq!(expression.get("operator").and_then(Node::as_str), Some("NotIn"));
        assert_eq!(expression.get("values").unwrap().items().len(), 1);
        let channels: Vec<_> =
            node.get("channels").unwrap().items().iter().filter_map(Node::as_str).collect();
        assert_eq!(channels, ["stable", "fast"]);
        assert_eq!(remarks.len(), 2);
        let query = request.to_query(&lamp());
        assert_eq!(query.to_string(), "channels stable, fast, version >=1.2, <2, SelfCertified");
        assert_eq!(
            ExtensionRequest::default().to_query(&lamp()).to_string(),
            "channel stable, version 1.2.0"
        );
    }

    #[test]
    fn values_that_the_api_refuses_are_errors() {
        let with_range = |range: &str| ExtensionRequest {
            version_range: Some(range.to_owned()),
            ..ExtensionRequest::default()
        };
        let range = with_range("one").catalog_node(&lamp()).unwrap_err();
        assert!(matches!(range, ResourceError::Range { .. }), "{range}");
        let long = with_range(&[">=1.0.0"; 9].join(", ")).catalog_node(&lamp()).unwrap_err();
        assert!(matches!(long, ResourceError::LongVersion(_)), "{long}");
        for (key, value, is_good) in [
            ("env", "prod", true),
            ("example.com/env", "", true),
            ("", "prod", false),
            ("a b", "prod", false),
            ("UP.example/env", "prod", false),
            ("env", "-prod", false),
        ] {
            assert_eq!(check_label_pair(key, value).is_ok(), is_good, "{key}={value}");
        }
    }
}
