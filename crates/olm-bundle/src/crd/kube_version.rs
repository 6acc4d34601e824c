//! API versions in Kubernetes' order: `v10` > `v2` > `v1` > `v2beta1` > `v1beta2` > `v3alpha1`, and below them
//! all other names.
//!
//! Source: `k8s.io/apimachinery`, `pkg/version/helpers.go`.

use std::cmp::Ordering;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// Compares two version names.
pub(super) fn compare_kube_versions(a: &str, b: &str) -> Ordering {
    match (parse_kube_version(a), parse_kube_version(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        // Reversed, so that lists begin with `a`.
        (None, None) => b.cmp(a),
    }
}

fn parse_kube_version(name: &str) -> Option<(Stage, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|number| is_number && i64::try_from(*number).is_ok())
    };
    for (word, stage) in [("alpha", Stage::Alpha), ("beta", Stage::Beta)] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stage, number(major)?, number(minor)?));
        }
    }
    Some((Stage::Stable, number(rest)?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_like_in_kubernetes() {
        // From its documentation, the highest first.
        let sorted =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        let mut names = sorted;
        names.sort_unstable();
        names.sort_by(|a, b| compare_kube_versions(b, a));
        assert_eq!(names, sorted);
        assert_eq!(compare_kube_versions("v1alpha", "v1alpha1"), Ordering::Less, "no number, no version");
        assert_eq!(
            compare_kube_versions("v99999999999999999999", "v1alpha1"),
            Ordering::Less,
            "too large for Go"
        );
    }
}
