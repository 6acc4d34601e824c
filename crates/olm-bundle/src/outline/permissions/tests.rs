use std::borrow::Cow;

use super::grant::Grant;
use super::{Danger, Risk};

/// Creates a cluster-wide grant from `verbs / groups / resources / names`.
fn parse_grant(text: &str) -> Grant<'_> {
    let mut parts =
        text.split(" / ").map(|part| part.split_whitespace().map(Cow::Borrowed).collect::<Vec<_>>());
    let mut next = || parts.next().unwrap_or_default();
    let (verbs, groups, resources, names) = (next(), next(), next(), next());
    let core = |group: Cow<'_, str>| if group == "core" { "".into() } else { group.into_owned().into() };
    let groups = groups.into_iter().map(core).collect();
    Grant { groups, resources, verbs, names, is_namespaced: false }
}

fn grant_dangers(grant: &Grant) -> Vec<Danger> {
    grant.find_dangers(|group| group == "coast.example.com", false)
}

#[test]
fn each_documented_kubernetes_risk_is_described() {
    let cases = [
        ("* / * / *", "may do everything in the cluster"),
        ("get list / core / secrets", "may read every Secret in the cluster"),
        ("get patch / core / secrets / one", "may read and change the Secret one in the cluster"),
        ("create patch / core / secrets", ""),
        (
            "escalate / rbac.authorization.k8s.io / clusterroles",
            "may give roles any permission in the cluster",
        ),
        ("bind / rbac.authorization.k8s.io / roles / a b", "may bind the roles a, b in the cluster"),
        ("impersonate / core / users", "may act as any user, group or service account in the cluster"),
        (
            "impersonate / authentication.k8s.io / userextras/scopes",
            "may act as any user, group or service account in the cluster",
        ),
        (
            "create / core / serviceaccounts/token",
            "may issue tokens for every service account in the cluster",
        ),
        ("create / core / pods/exec", "may run commands in every pod in the cluster"),
        ("create / core / */exec", "may run commands in every pod in the cluster"),
        ("get / core / pods/portforward", "may connect to ports of every pod in the cluster"),
        ("patch / core / pods/ephemeralcontainers", "may run commands in every pod in the cluster"),
        ("get / core / nodes/proxy", "may run commands in the pods of every node in the cluster"),
        (
            "update / admissionregistration.k8s.io / mutatingwebhookconfigurations",
            "may change every admission webhook in the cluster",
        ),
        ("get / admissionregistration.k8s.io / mutatingwebhookconfigurations", ""),
        (
            "approve / certificates.k8s.io / signers / example.com/coast",
            "may approve certificates of the signer example.com/coast in the cluster",
        ),
        (
            "update / certificates.k8s.io / certificatesigningrequests/approval",
            "may approve certificates of every signer in the cluster",
        ),
        ("create / core / persistentvolumes", "may create volumes from any node's files in the cluster"),
        ("create / core / persistentvolumeclaims", ""),
        (
            "use / security.openshift.io / securitycontextconstraints / privileged",
            "may run pods under the SCC privileged in the cluster",
        ),
        ("use / security.openshift.io / securitycontextconstraints / restricted-v2", ""),
        (
            "update / security.openshift.io / securitycontextconstraints",
            "may change every SCC in the cluster",
        ),
        ("create / apps / daemonsets", "may run pods as any service account in the cluster"),
        ("patch / batch / jobs", "may change what pods run as any service account in the cluster"),
        ("create / example.com / deployments", ""),
        ("patch / core / namespaces", "may relabel every namespace in the cluster"),
        ("get / coast.example.com / *", ""),
        ("* / coast.example.com / *", ""),
        ("get / sea.example.com / *", "may get all resources of sea.example.com in the cluster"),
        ("get / * / *", "may read every Secret, connect to ports"),
    ];
    for (text, sentence) in cases {
        let grant = parse_grant(text);
        let said = grant.describe_dangers(&grant_dangers(&grant));
        if text == "get / * / *" {
            assert!(
                said.starts_with("may read every Secret")
                    && said.ends_with("get all resources in the cluster"),
                "{said}"
            );
        } else {
            assert_eq!(said, sentence, "{text}");
        }
    }
}

#[test]
fn names_and_namespaces_narrow_and_role_does_not_reach_cluster_resources() {
    let mut volumes = parse_grant("create / core / persistentvolumes");
    volumes.is_namespaced = true;
    assert!(grant_dangers(&volumes).is_empty());
    // Under AllNamespaces OLM converts it to a ClusterRole.
    assert_eq!(volumes.find_dangers(|_| false, true), [Danger { risk: Risk::Volumes, is_narrow: true }]);
    let mut secrets = parse_grant("watch / core / secrets");
    assert!(!grant_dangers(&secrets)[0].is_narrow);
    secrets.is_namespaced = true;
    assert!(grant_dangers(&secrets)[0].is_narrow);
    assert_eq!(
        secrets.describe_dangers(&grant_dangers(&secrets)),
        "may read every Secret in its target namespaces"
    );
}

#[test]
fn every_risk_has_name_reason_and_source() {
    let names: std::collections::BTreeSet<&str> = Risk::ALL.iter().map(|risk| risk.id()).collect();
    assert_eq!(names.len(), Risk::ALL.len());
    for risk in Risk::ALL {
        assert!(risk.reason().ends_with('.') && risk.documentation_url().starts_with("https://"), "{risk:?}");
    }
}
