//! What keeps a pick from being installed on a cluster though the resolver picked it.

use super::answer::Engine;
use crate::{
    catalog::{
        Catalog, ChannelName,
        blob::{BundleBlob, Dependency},
    },
    version::blang,
};

/// One reason why a pick would not be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// A stable word for programs.
    pub kind: BlockedKind,
    /// For people.
    pub text: String,
}

/// The kinds of reason.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockedKind {
    /// v1 installs no bundle with dependencies; Classic needs something in sight that satisfies them.
    Dependency,
    /// v1 by default installs only bundles that support `AllNamespaces`.
    InstallMode,
    /// v1 cannot be asked for a channel whose name is no DNS label.
    ChannelName,
}

impl BlockedKind {
    /// The reason in the few words that a cell of a table has room for.
    pub fn brief(self) -> &'static str {
        match self {
            Self::Dependency => "dependencies",
            Self::InstallMode => "no AllNamespaces",
            Self::ChannelName => "channel name",
        }
    }

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dependency => "dependency",
            Self::InstallMode => "install-mode",
            Self::ChannelName => "channel-name",
        }
    }
}

/// What would block a bundle under an engine, with the catalog as everything that is in sight.
pub fn reasons(
    catalog: &Catalog,
    bundle: &BundleBlob,
    engine: Engine,
    channels: &[ChannelName],
) -> Vec<Blocked> {
    match engine {
        Engine::Classic => classic(catalog, bundle),
        Engine::V1 => by_v1(bundle, channels),
    }
}

fn classic(catalog: &Catalog, bundle: &BundleBlob) -> Vec<Blocked> {
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
    unmet.map(|text| Blocked { kind: BlockedKind::Dependency, text }).collect()
}

fn provides_package(catalog: &Catalog, package: &str, range: &str) -> bool {
    let Ok(range) = blang::Range::parse(range) else { return false };
    catalog.package(package).is_some_and(|package| {
        package.bundles.iter().filter_map(|b| b.version.as_ref()).any(|v| range.matches(&v.version))
    })
}

/// The first reason why v1 would refuse to install a bundle; it looks at nothing but the bundle and what is asked for.
pub fn refusal(bundle: &BundleBlob, channels: &[ChannelName]) -> Option<BlockedKind> {
    by_v1(bundle, channels).first().map(|blocked| blocked.kind)
}

/// Why v1 would refuse to install a bundle.
pub fn by_v1(bundle: &BundleBlob, channels: &[ChannelName]) -> Vec<Blocked> {
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
        reasons.push(Blocked { kind: BlockedKind::Dependency, text });
    }
    if let Some(csv) = &bundle.csv
        && !csv.install_modes.iter().any(|mode| mode == "AllNamespaces")
    {
        let text = "v1 by default installs only bundles that support AllNamespaces".to_owned();
        reasons.push(Blocked { kind: BlockedKind::InstallMode, text });
    }
    for channel in channels.iter().filter(|c| !is_dns_label(c.as_str())) {
        let text = format!("v1 cannot select channel {channel}: the name is not DNS-1123");
        reasons.push(Blocked { kind: BlockedKind::ChannelName, text });
    }
    reasons
}

/// DNS-1123 subdomain, as the `ClusterExtension` API demands of channel names.
pub fn is_dns_label(name: &str) -> bool {
    let good = |part: &str| {
        let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        edge(part.bytes().next())
            && edge(part.bytes().next_back())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    name.len() <= 253 && name.split('.').all(good)
}
