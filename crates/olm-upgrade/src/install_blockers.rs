//! Reasons why a cluster would not install the pick of a resolver.

use std::fmt;

use super::{answer::Engine, installed::Installed};
use olm_catalog::{
    BundleName, Catalog, ChannelName,
    blob::{BundleBlob, Dependency},
    package::Package,
};
use olm_version::blang;

/// Reason why the pick would not be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallBlocker {
    /// Stable word for programs.
    pub kind: InstallBlockerKind,
    /// Text for people.
    pub text: String,
}

impl fmt::Display for InstallBlocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Kinds of reasons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstallBlockerKind {
    /// v1 does not install bundles with dependencies; Classic needs a provider of each in an open catalog.
    Dependency,
    /// v1 by default installs only bundles that support `AllNamespaces`.
    InstallMode,
    /// v1 accepts only channel names that are DNS labels.
    ChannelName,
}

impl InstallBlockerKind {
    /// Returns a short form for a table cell.
    pub fn brief(self) -> &'static str {
        match self {
            Self::Dependency => "dependencies",
            Self::InstallMode => "no AllNamespaces",
            Self::ChannelName => "channel name",
        }
    }

    /// Returns the word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dependency => "dependency",
            Self::InstallMode => "install-mode",
            Self::ChannelName => "channel-name",
        }
    }
}

/// Returns the reasons of a resolver against a bundle; considers only this catalog.
pub fn find_blockers(
    catalog: &Catalog,
    bundle: &BundleBlob,
    engine: Engine,
    channels: &[ChannelName],
) -> Vec<InstallBlocker> {
    match engine {
        Engine::Classic => classic_blockers(catalog, bundle),
        Engine::V1 => v1_blockers(bundle, channels),
    }
}

fn classic_blockers(catalog: &Catalog, bundle: &BundleBlob) -> Vec<InstallBlocker> {
    let unmet = bundle.requires.iter().filter_map(|dependency| match dependency {
        Dependency::Package { package, range, .. } if !provides_package(catalog, package, range) => {
            Some(format!("this catalog has no {package} {range}"))
        }
        Dependency::Gvk { gvk, .. } => {
            let provided = catalog.packages().any(|p| p.bundles.iter().any(|b| b.provides.contains(gvk)));
            (!provided).then(|| {
                format!("this catalog has no provider of {}/{} {}", gvk.group, gvk.version, gvk.kind)
            })
        }
        Dependency::Package { .. } | Dependency::Constraint { .. } => None,
    });
    unmet.map(|text| InstallBlocker { kind: InstallBlockerKind::Dependency, text }).collect()
}

fn provides_package(catalog: &Catalog, package: &str, range: &str) -> bool {
    let Ok(range) = blang::Range::parse(range) else { return false };
    catalog.package(package).is_some_and(|package| {
        package.bundles.iter().filter_map(|b| b.version.as_ref()).any(|v| range.matches(&v.version))
    })
}

/// Returns the first reason why v1 would refuse a bundle. Considers only the bundle and the selected channels.
pub fn first_v1_blocker(bundle: &BundleBlob, channels: &[ChannelName]) -> Option<InstallBlockerKind> {
    v1_blockers(bundle, channels).first().map(|blocked| blocked.kind)
}

/// Returns the reasons why v1 refuses its pick. If the pick is already installed, v1 still refuses
/// dependencies, because it checks them whenever it resolves (operator-controller `resolve/validation.go`).
pub fn v1_pick_blockers(
    package: &Package,
    pick: &BundleName,
    installed: Option<&Installed>,
    channels: &[ChannelName],
) -> Vec<InstallBlocker> {
    match package.bundle(pick.as_str()) {
        None => Vec::new(),
        Some(bundle) if installed.is_some_and(|installed| installed.name == *pick) => {
            dependency_blockers(bundle)
        }
        Some(bundle) => v1_blockers(bundle, channels),
    }
}

/// Returns the dependencies for which v1 refuses a bundle.
pub fn dependency_blockers(bundle: &BundleBlob) -> Vec<InstallBlocker> {
    let mut reasons = Vec::new();
    for dependency in &bundle.requires {
        let text = match dependency {
            Dependency::Package { package, range, .. } => {
                format!("v1 installs no bundle with dependencies: it requires {package} {range}")
            }
            Dependency::Gvk { gvk, .. } => format!(
                "v1 installs no bundle with dependencies: it requires {}/{} {}",
                gvk.group, gvk.version, gvk.kind
            ),
            Dependency::Constraint { message, .. } => {
                format!("v1 installs no bundle with dependencies: it has a constraint ({message})")
            }
        };
        reasons.push(InstallBlocker { kind: InstallBlockerKind::Dependency, text });
    }
    // v1 looks only at the types, so a value that cannot be read counts too.
    let unread = bundle.properties.iter().map(|property| property.kind.value.as_str());
    if let Some(kind) = unread.filter(|_| reasons.is_empty()).find(|kind| DEPENDENCY_TYPES.contains(kind)) {
        let text = format!("v1 installs no bundle with dependencies: its {kind} cannot be read");
        reasons.push(InstallBlocker { kind: InstallBlockerKind::Dependency, text });
    }
    reasons
}

/// Types of properties that v1 takes for dependencies.
const DEPENDENCY_TYPES: [&str; 3] = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

/// Returns the reasons why v1 would refuse to install a bundle.
pub fn v1_blockers(bundle: &BundleBlob, channels: &[ChannelName]) -> Vec<InstallBlocker> {
    let mut reasons = dependency_blockers(bundle);
    if let Some(csv) = &bundle.csv
        && !csv.install_modes.iter().any(|mode| mode == "AllNamespaces")
    {
        let text = "v1 by default installs only bundles that support AllNamespaces".to_owned();
        reasons.push(InstallBlocker { kind: InstallBlockerKind::InstallMode, text });
    }
    for channel in channels.iter().filter(|c| !is_dns_label(c.as_str())) {
        let text = format!("v1 cannot select channel {channel}: the name is not DNS-1123");
        reasons.push(InstallBlocker { kind: InstallBlockerKind::ChannelName, text });
    }
    reasons
}

/// Returns true for a DNS-1123 subdomain, which the `ClusterExtension` API requires for channel names.
pub fn is_dns_label(name: &str) -> bool {
    let good = |part: &str| {
        let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        edge(part.bytes().next())
            && edge(part.bytes().next_back())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    name.len() <= 253 && name.split('.').all(good)
}
