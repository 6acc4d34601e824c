//! Custom resources to install a version.
//!
//! OLM v1 uses a `ClusterExtension`. OLM Classic uses a `Subscription` with a matching `OperatorGroup`. This
//! module only creates the resources. It does not apply them.
//!
//! Sources: `operator-controller` `api/v1/clusterextension_types.go` (1.x), `operator-framework/api`
//! `pkg/operators/v1alpha1/subscription_types.go` and `pkg/operators/v1/operatorgroup_types.go`.

mod extension_request;
mod installer_role;
mod over_catalogs;
mod policy_rule;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::cluster::Approval;
use olm_catalog::{BundleName, ChannelName, Member, Node, PackageName, Span, Value};
use olm_upgrade::{
    Engine, PackageGraph, ResolveError,
    cluster::SelectorError,
    install_blockers::{self, is_dns_label as is_subdomain},
    resolve::{SourceKey, question::GLOBAL_NAMESPACE},
};
use olm_version::VersionRelease;

pub use extension_request::ExtensionRequest;
pub use over_catalogs::create_resources_over_catalogs;

/// Version to install.
#[derive(Clone, PartialEq, Debug)]
pub struct InstallTarget {
    /// The OLM engine.
    pub engine: Engine,
    /// The name of the package.
    pub package: PackageName,
    /// The channel. Optional in OLM v1.
    pub channel: Option<ChannelName>,
    /// The bundle to install.
    pub bundle: BundleName,
    /// The version of the bundle.
    pub version: Option<VersionRelease>,
}

/// Options for the resources. Unset options have defaults based on the package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResourceOptions {
    /// The name of the `Subscription` or `ClusterExtension`. The default is the package name.
    pub name: Option<String>,
    /// The namespace of the operator. The default is the package name.
    pub namespace: Option<String>,
    /// The namespaces that the operator watches, in OLM Classic.
    pub watch: Vec<String>,
    /// True if the namespace already has an `OperatorGroup`, in OLM Classic. A second one stops all
    /// operators in the namespace.
    pub has_group: bool,
    /// The `CatalogSource`, in OLM Classic.
    pub source: Option<SourceKey>,
    /// The `installPlanApproval`, in OLM Classic. The default is `Manual`.
    pub approval: Option<Approval>,
    /// The service account of the installation, in OLM v1. The default is the extension name with `-installer`.
    pub service_account: Option<String>,
    /// Channels, versions, policy and catalogs, in OLM v1.
    pub request: ExtensionRequest,
}

/// Custom resources in the order in which to apply them.
#[derive(Debug)]
pub struct Resources {
    /// The objects.
    pub objects: Vec<Node<'static>>,
    /// The remarks to read before applying them.
    pub remarks: Vec<ResourceNote>,
}

/// Remark about the resources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceNote {
    /// True if OLM does not install the resources as they are.
    pub refuses: bool,
    /// The text of the remark.
    pub text: String,
}

/// The reason why the resources cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The API of the object does not accept a name.
    #[error("{field} {name:?} is not a {form}")]
    Name {
        /// The field.
        field: &'static str,
        /// The name.
        name: String,
        /// The required form.
        form: &'static str,
    },
    /// No channel has the bundle, in OLM Classic.
    #[error("no channel has {0}, so a Subscription cannot install it")]
    NoChannel(BundleName),
    /// The channel does not install the bundle, in OLM Classic.
    #[error("OLM Classic does not install {bundle} from channel {channel}: {why}")]
    NotInstalled {
        /// The bundle that is not installed.
        bundle: BundleName,
        /// The channel of the Subscription.
        channel: ChannelName,
        /// The reason.
        why: ResolveError,
    },
    /// The operator does not support the target namespaces, in OLM Classic.
    #[error("{bundle} does not support {mode}; it supports {supported}")]
    InstallMode {
        /// The bundle of the operator.
        bundle: BundleName,
        /// The required install mode.
        mode: &'static str,
        /// The supported install modes.
        supported: String,
    },
    /// The operator does not support all namespaces or its own, and no namespaces are given, in OLM Classic.
    #[error("{0} watches chosen namespaces only, and none is given")]
    NoTargets(BundleName),
    /// The bundle does not have a version to pin, in OLM v1.
    #[error("{0} has no version that can be pinned")]
    NoVersion(BundleName),
    /// The version is longer than the API allows, in OLM v1.
    #[error("the version of {0} is longer than 64 characters, which a ClusterExtension does not take")]
    LongVersion(BundleName),
    /// Kubernetes refuses the selector of catalogs, in OLM v1.
    #[error("the catalog selector: {0}")]
    Selector(SelectorError),
    /// The version range cannot be read, in OLM v1.
    #[error("version range {range:?}: {reason}")]
    Range {
        /// The range as written.
        range: String,
        /// The reason.
        reason: String,
    },
}

impl ResourceError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoTargets(_) => Some("say which with --watch NAMESPACE"),
            Self::InstallMode { .. } => {
                Some("--watch chooses the namespaces it watches, --namespace where it is")
            }
            Self::Name { field: "channel", .. } => {
                Some("OLM v1 needs no channel: without --channel the pinned version is taken from any")
            }
            _ => None,
        }
    }
}

/// Information about the bundle to install.
#[derive(Clone, Copy, Debug)]
pub struct BundleInformation<'a> {
    /// The upgrade graph of the package.
    pub graph: &'a PackageGraph,
    /// The supported install modes. Empty if unknown.
    pub install_modes: &'a [String],
}

/// Creates the resources to install a version. With `known`, it also checks that OLM installs the bundle.
///
/// # Errors
///
/// Returns an error if no resource of the engine can install the bundle.
pub fn create_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    match stop.engine {
        Engine::Classic => classic_resources(stop, known, choices),
        Engine::V1 => extension_resources(stop, known, choices),
    }
}

/// The maximum length of a label in bytes (RFC 1123).
const MAX_LABEL_BYTES: usize = 63;

/// Derives an object name from a package name.
fn name_from_package(package: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = package.chars().map(letter).take(MAX_LABEL_BYTES).collect();
    let label = label.trim_matches('-');
    if label.is_empty() { "operator".to_owned() } else { label.to_owned() }
}

/// Returns an error if the name is not a DNS-1123 subdomain.
fn check_subdomain(field: &'static str, name: &str) -> Result<(), ResourceError> {
    if is_subdomain(name) { Ok(()) } else { Err(name_error(field, name, "DNS-1123 subdomain")) }
}

/// Returns an error if the name is not a DNS-1123 label.
fn check_label(field: &'static str, name: &str) -> Result<(), ResourceError> {
    let is_label = is_subdomain(name) && !name.contains('.') && name.len() <= MAX_LABEL_BYTES;
    if is_label { Ok(()) } else { Err(name_error(field, name, "DNS-1123 label")) }
}

fn name_error(field: &'static str, name: &str, form: &'static str) -> ResourceError {
    ResourceError::Name { field, name: name.to_owned(), form }
}

/// Creates a string node.
fn string_node(text: &str) -> Node<'static> {
    Node::new(Value::String(Cow::Owned(text.to_owned())), Span::default())
}

/// Creates a list of string nodes.
fn string_list<T: AsRef<str>>(all: &[T]) -> Node<'static> {
    Node::new(Value::List(all.iter().map(|one| string_node(one.as_ref())).collect()), Span::default())
}

/// Creates a mapping node.
fn mapping_node(members: impl IntoIterator<Item = (&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: Cow::Borrowed(key),
        key_span: Span::default(),
        value,
    };
    Node::new(Value::Map(members.into_iter().map(member).collect()), Span::default())
}

/// Creates an object, without `spec` if that is `None`.
fn object_node(
    api_version: &str,
    kind: &str,
    name: &str,
    namespace: Option<&str>,
    spec: Option<Node<'static>>,
) -> Node<'static> {
    let metadata = namespace.map(|namespace| ("namespace", string_node(namespace)));
    let metadata = mapping_node([("name", string_node(name))].into_iter().chain(metadata));
    let head =
        [("apiVersion", string_node(api_version)), ("kind", string_node(kind)), ("metadata", metadata)];
    mapping_node(head.into_iter().chain(spec.map(|spec| ("spec", spec))))
}

/// Creates a namespace object.
fn namespace_object(name: &str) -> Node<'static> {
    object_node("v1", "Namespace", name, None, None)
}

/// Action that brings the cluster to a stop.
#[derive(Debug)]
pub struct InstallStep {
    /// The stop.
    pub stop: InstallTarget,
    /// The action as a sentence.
    pub text: String,
    /// The objects to apply. Empty if the only action is an approval.
    pub objects: Vec<Node<'static>>,
    /// The remarks to read first.
    pub remarks: Vec<ResourceNote>,
}

/// Creates the steps for a series of stops.
///
/// If `is_installed` is set, the first stop of each package is already on the cluster and does not
/// need a step. Stops of several packages can be mixed. The two functions return the information
/// about the bundle of a stop, and the options of its resources.
///
/// # Errors
///
/// Returns the error of the first stop whose resources cannot be created.
pub fn install_steps<'k>(
    stops: &[InstallTarget],
    is_installed: bool,
    known: impl Fn(&InstallTarget) -> Option<BundleInformation<'k>>,
    choices: impl Fn(&InstallTarget) -> ResourceOptions,
) -> Result<Vec<InstallStep>, ResourceError> {
    let mut steps = Vec::new();
    for (at, stop) in stops.iter().enumerate() {
        let earlier = stops.get(..at).unwrap_or_default();
        let before = earlier
            .iter()
            .rev()
            .find(|before| before.package == stop.package && before.engine == stop.engine);
        if before.is_none() && is_installed {
            continue;
        }
        let (known, choices) = (known(stop), choices(stop));
        let (words, made) = match (stop.engine, before) {
            (_, None) => (format!("install {}", stop.bundle), create_resources(stop, known, &choices)?),
            (Engine::V1, Some(_)) => {
                let (extension, remarks) = extension_object(stop, &choices)?;
                (format!("upgrade to {}", stop.bundle), Resources { objects: vec![extension], remarks })
            }
            (Engine::Classic, Some(before)) => {
                let is_same = before.channel == stop.channel;
                let (mut objects, remarks) = (Vec::new(), Vec::new());
                if !is_same {
                    let channel = choose_channel(stop, known)?;
                    objects.push(subscription_object(stop, &channel, &choices)?);
                }
                let approve = format!("approve the InstallPlan for {}", stop.bundle);
                let words = match &stop.channel {
                    Some(channel) if !is_same && before.bundle == stop.bundle => {
                        format!("change the channel to {channel}")
                    }
                    Some(channel) if !is_same => format!("change the channel to {channel}, then {approve}"),
                    _ => approve,
                };
                (words, Resources { objects, remarks })
            }
        };
        let Resources { objects, remarks } = made;
        steps.push(InstallStep { stop: stop.clone(), text: words, objects, remarks });
    }
    Ok(steps)
}

fn extension_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let names = object_names(stop, choices)?;
    let (extension, mut remarks) = extension_object(stop, choices)?;
    remarks.extend(refusal_notes(stop, known, &choices.request));
    remarks.push(ResourceNote { refuses: false, text: role_note(&names) });
    let place = &names.namespace;
    let account = object_node("v1", "ServiceAccount", &names.account, Some(place), None);
    Ok(Resources { objects: vec![namespace_object(place), account, extension], remarks })
}

/// Returns the note about the permissions of the installing account.
fn role_note(names: &ObjectNames) -> String {
    let ObjectNames { name, namespace, account } = names;
    format!(
        "the ServiceAccount {namespace}/{account} needs a ClusterRole with what the bundle installs; {name} waits for it"
    )
}

struct ObjectNames {
    name: String,
    namespace: String,
    account: String,
}

fn object_names(stop: &InstallTarget, choices: &ResourceOptions) -> Result<ObjectNames, ResourceError> {
    let chosen = choices.name.clone().unwrap_or_else(|| name_from_package(stop.package.as_str()));
    check_subdomain("the name", &chosen)?;
    let namespace = choices.namespace.clone().unwrap_or_else(|| name_from_package(stop.package.as_str()));
    check_label("the namespace", &namespace)?;
    let account = choices.service_account.clone().unwrap_or_else(|| format!("{chosen}-installer"));
    check_subdomain("the service account", &account)?;
    Ok(ObjectNames { name: chosen, namespace, account })
}

/// Returns only the extension: the part that changes between versions.
fn extension_object(
    stop: &InstallTarget,
    choices: &ResourceOptions,
) -> Result<(Node<'static>, Vec<ResourceNote>), ResourceError> {
    let ObjectNames { name: own, namespace, account } = object_names(stop, choices)?;
    let (catalog, remarks) = choices.request.catalog_node(stop)?;
    let spec = mapping_node([
        ("namespace", string_node(&namespace)),
        ("serviceAccount", mapping_node([("name", string_node(&account))])),
        ("source", mapping_node([("catalog", catalog), ("sourceType", string_node("Catalog"))])),
    ]);
    Ok((object_node("olm.operatorframework.io/v1", "ClusterExtension", &own, None, Some(spec)), remarks))
}

/// Returns the reasons why OLM v1 installs another bundle or none.
fn refusal_notes(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    request: &ExtensionRequest,
) -> Vec<ResourceNote> {
    let Some(known) = known else { return Vec::new() };
    let mut remarks = Vec::new();
    let mut refuse = |text: String| remarks.push(ResourceNote { refuses: true, text });
    let query = request.to_query(stop);
    let answer = known.graph.resolve_v1(&query, None);
    match (&answer.error, &answer.pick) {
        (Some(error), _) => refuse(format!("OLM v1 installs nothing: {error}")),
        (None, Some(pick)) if *pick != stop.bundle => {
            refuse(format!("OLM v1 installs {pick}, not {}", stop.bundle));
        }
        _ => {}
    }
    if let Some(bundle) = known.graph.package.bundle(stop.bundle.as_str()) {
        for blocked in install_blockers::v1_blockers(bundle, &query.channels) {
            refuse(blocked.text);
        }
    }
    remarks
}

fn classic_resources(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let channel = choose_channel(stop, known)?;
    let place = operator_namespace(stop, choices)?;
    let modes = known.map_or(&[][..], |known| known.install_modes);
    let targets = target_namespaces(stop, modes, choices, &place)?;
    let mut remarks = Vec::new();
    if modes.is_empty() {
        let text =
            "the namespaces that it can watch are unknown; the OperatorGroup has all of them".to_owned();
        let counts = choices.watch.is_empty() && !choices.has_group;
        remarks.extend(counts.then_some(ResourceNote { refuses: false, text }));
    }
    if let Some(known) = known {
        let answer = known.graph.resolve_classic_start(channel.as_str(), &stop.bundle);
        if let Some(why) = answer.error {
            return Err(ResourceError::NotInstalled { bundle: stop.bundle.clone(), channel, why });
        }
        let bundle = known.graph.package.bundle(stop.bundle.as_str());
        if bundle.is_some_and(|bundle| !bundle.requires.is_empty()) {
            let text = "it requires others, which are installed along: olmap resolve shows them".to_owned();
            remarks.push(ResourceNote { refuses: false, text });
        }
    }
    if choices.source.is_none() {
        let text = "spec.source is a guess: it is the name of a CatalogSource on the cluster".to_owned();
        remarks.push(ResourceNote { refuses: false, text });
    }
    let group = object_node(
        "operators.coreos.com/v1",
        "OperatorGroup",
        &place,
        Some(&place),
        Some(mapping_node((!targets.is_empty()).then(|| ("targetNamespaces", string_list(&targets))))),
    );
    let subscription = subscription_object(stop, &channel, choices)?;
    if choices.has_group {
        return Ok(Resources { objects: vec![subscription], remarks });
    }
    if choices.namespace.is_some() {
        let text = format!(
            "a second OperatorGroup stops all operators of a namespace: drop this one if {place} has one already"
        );
        remarks.push(ResourceNote { refuses: false, text });
    }
    Ok(Resources { objects: vec![namespace_object(&place), group, subscription], remarks })
}

fn operator_namespace(stop: &InstallTarget, choices: &ResourceOptions) -> Result<String, ResourceError> {
    let place = choices.namespace.clone().unwrap_or_else(|| name_from_package(stop.package.as_str()));
    check_label("the namespace", &place)?;
    Ok(place)
}

/// Returns the channel of the stop. If the stop does not have one, returns the default channel or
/// the first channel that has the bundle.
fn choose_channel(
    stop: &InstallTarget,
    known: Option<BundleInformation<'_>>,
) -> Result<ChannelName, ResourceError> {
    let of_package = || {
        let graph = known?.graph;
        let having: Vec<_> = graph.channels_with(&stop.bundle).map(|channel| channel.graph.name()).collect();
        let default = graph.package.default_channel();
        having.iter().find(|name| Some(**name) == default).or(having.first()).map(|name| (*name).clone())
    };
    stop.channel.clone().or_else(of_package).ok_or_else(|| ResourceError::NoChannel(stop.bundle.clone()))
}

/// Returns only the `Subscription`.
fn subscription_object(
    stop: &InstallTarget,
    channel: &ChannelName,
    choices: &ResourceOptions,
) -> Result<Node<'static>, ResourceError> {
    let own = choices.name.clone().unwrap_or_else(|| name_from_package(stop.package.as_str()));
    check_subdomain("the name", &own)?;
    let guess = || SourceKey { name: "catalog".to_owned(), namespace: GLOBAL_NAMESPACE.to_owned() };
    let source = choices.source.clone().unwrap_or_else(guess);
    check_subdomain("the source", &source.name)?;
    check_label("the source's namespace", &source.namespace)?;
    let spec = mapping_node([
        ("channel", string_node(channel.as_str())),
        ("installPlanApproval", string_node(choices.approval.unwrap_or(Approval::Manual).as_str())),
        ("name", string_node(stop.package.as_str())),
        ("source", string_node(&source.name)),
        ("sourceNamespace", string_node(&source.namespace)),
        ("startingCSV", string_node(stop.bundle.as_str())),
    ]);
    let place = operator_namespace(stop, choices)?;
    Ok(object_node("operators.coreos.com/v1alpha1", "Subscription", &own, Some(&place), Some(spec)))
}

/// Returns the target namespaces of the `OperatorGroup`. Empty for all namespaces.
fn target_namespaces(
    stop: &InstallTarget,
    modes: &[String],
    choices: &ResourceOptions,
    place: &str,
) -> Result<Vec<String>, ResourceError> {
    for namespace in &choices.watch {
        check_label("the namespace", namespace)?;
    }
    let supports = |mode: &str| modes.is_empty() || modes.iter().any(|known| known == mode);
    let own = choices.watch.iter().any(|namespace| namespace == place);
    let needed: &[&'static str] = match choices.watch.as_slice() {
        [] if supports("AllNamespaces") => return Ok(Vec::new()),
        [] if supports("OwnNamespace") => return Ok(vec![place.to_owned()]),
        [] => return Err(ResourceError::NoTargets(stop.bundle.clone())),
        [_] if own => &["OwnNamespace"],
        [_] => &["SingleNamespace"],
        _ if own => &["MultiNamespace", "OwnNamespace"],
        _ => &["MultiNamespace"],
    };
    match needed.iter().find(|mode| !supports(mode)) {
        Some(mode) => {
            let (bundle, supported) = (stop.bundle.clone(), modes.join(", "));
            Err(ResourceError::InstallMode { bundle, mode, supported })
        }
        None => Ok(choices.watch.clone()),
    }
}
