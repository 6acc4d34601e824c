//! Tests of problems with a `ClusterServiceVersion` that no `Subscription` has.

use super::{
    OperatorRequest, operator_problems,
    tests::{read_cluster, subscription_yaml},
};

/// Returns a CSV in namespace `ns` whose properties name the package `p`.
fn csv_yaml(name: &str) -> String {
    format!(
        "---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: {name}
  namespace: ns
  annotations:
    operatorframework.io/properties: '[{{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"p\", \"version\": \"0.9.0\"}}}}]'
status: {{phase: Succeeded}}
---
"
    )
}

/// Returns the problems of all operators without a request.
fn left_over_problems(text: &str) -> Vec<String> {
    let cluster = read_cluster(text);
    let alone = cluster.operators.iter().filter(|operator| operator.request == OperatorRequest::Nothing);
    alone.flat_map(|operator| operator_problems(&cluster, operator)).collect()
}

#[test]
fn csv_without_subscription_is_a_problem() {
    let csv = csv_yaml("p.v0.9.0");
    let other = subscription_yaml("1.0.0", "1.0.0", "").replace("name: p, channel", "name: q, channel");
    let alone = "no Subscription of namespace ns asks for p, so OLM does not upgrade p.v0.9.0: delete the CSV if it is left over";
    assert_eq!(left_over_problems(&(csv.clone() + &other)), [alone]);
    let waiting = "apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: p, namespace: ns}
spec: {name: p, channel: c, source: s, sourceNamespace: market}
status: {conditions: [{type: ResolutionFailed, status: 'True', reason: R, message: m}]}
";
    let kept = "Subscription p asks for p but does not have p.v0.9.0, which keeps its APIs: delete the CSV if it is left over";
    assert_eq!(left_over_problems(&(csv + waiting)), [kept]);
}

#[test]
fn csv_is_no_problem_if_files_may_lack_its_subscription() {
    let csv = csv_yaml("p.v0.9.0");
    let none: [&str; 0] = [];
    assert_eq!(left_over_problems(&csv), none, "no Subscription in the files");
    let running = subscription_yaml("1.0.0", "1.1.0", "");
    assert_eq!(left_over_problems(&(csv.clone() + &running)), none, "an upgrade may run");
    let unseen = running.split("status:").next().unwrap();
    assert_eq!(left_over_problems(&(csv + unseen)), none, "without a status");
    let own = csv_yaml("packageserver") + &running.replace("name: p, channel", "name: q, channel");
    assert_eq!(left_over_problems(&own), none, "a CSV of OpenShift itself");
    let copy =
        csv_yaml("p.v0.9.0").replace("annotations:", "labels: {olm.copiedFrom: other}\n  annotations:");
    let copy = copy + &running.replace("name: p, channel", "name: q, channel");
    assert_eq!(left_over_problems(&copy), none, "a copy");
}
