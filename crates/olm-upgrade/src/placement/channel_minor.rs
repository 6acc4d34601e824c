//! Channels for one minor version, by their names: `stable-3.17`, `2.2.x`.

use olm_catalog::{ChannelName, package::Package};
use olm_version::Version;

/// Returns the minor version that a channel is for, if `version` has another one: its name has the
/// minor version of its highest entry.
pub fn find_other_minor(package: &Package, channel: &ChannelName, version: &Version) -> Option<String> {
    let entries = &package.channel(channel.as_str())?.entries;
    let versions = entries.iter().filter_map(|entry| package.bundle_version(entry.name.value.as_str()));
    let highest = versions.max_by(|a, b| a.cmp_precedence(b))?;
    let minor = |version: &Version| (version.major(), version.minor());
    let named = find_minor(channel.as_str()).filter(|named| *named == minor(&highest.version))?;
    (named != minor(version)).then(|| format!("{}.{}", named.0, named.1))
}

/// Returns the first minor version in a name.
fn find_minor(name: &str) -> Option<(u64, u64)> {
    let mut parts = name.split(|c: char| !c.is_ascii_digit() && c != '.');
    parts.find_map(|part| {
        let mut numbers = part.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn version_of_another_minor_is_found_by_the_name_of_the_channel() {
        let find = |channel: &str, entries: &str, version: &str| {
            let graph = fixture::graph_from_channels(&[(channel, entries)]);
            find_other_minor(&graph.package, &channel.into(), &Version::parse(version).unwrap())
        };
        let old = "2.2.1 replaces=2.1.0\n2.1.0\n";
        assert_eq!(find("2.2.x", old, "2.5.14").as_deref(), Some("2.2"));
        assert_eq!(find("stable-v2.2", old, "3.2.0").as_deref(), Some("2.2"));
        assert_eq!(find("2.2.x", old, "2.2.9"), None);
        assert_eq!(find("stable", old, "2.5.14"), None);
        assert_eq!(find("stable-2", old, "2.5.14"), None);
        assert_eq!(find("4.18", old, "2.5.14"), None, "of an OpenShift version");
    }
}
