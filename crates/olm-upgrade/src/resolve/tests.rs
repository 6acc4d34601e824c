//! Tests of OLM Classic's behavior, case by case.

use std::sync::Arc;

use super::{
    CatalogIndex, Failure, Limits, MissingTarget, Question, Source, StepLimitExceeded,
    fixture::{build_cluster, build_source, load_catalog, resolve_names, with_installed, with_subscription},
    resolve,
};

fn installed_names(question: &Question) -> Vec<String> {
    resolve_names(question).unwrap().0
}

fn failure_reasons(question: &Question) -> String {
    let answer = resolve(question, Limits::default());
    [answer.dependency_reasons, answer.why].concat().join("\n")
}

#[test]
fn dependency_is_installed_with_a_new_subscription() {
    let question = with_subscription(
        build_cluster("a 1.0.0 needs=b:>=1.0.0\nb 2.0.0 replaces=1.0.0\nb 1.0.0"),
        "a",
        None,
    );
    let (install, new) = resolve_names(&question).unwrap();
    assert_eq!(install, ["a.v1.0.0", "b.v2.0.0"]);
    assert_eq!(new, ["b-stable-c-olm"]);
    assert_eq!(
        failure_reasons(&question),
        "b.v2.0.0 is installed along: a.v1.0.0 needs package b in >=1.0.0"
    );
}

#[test]
fn impossible_head_falls_back_to_older_version() {
    let lines = "a 2.0.0 replaces=1.0.0 needs=b:>=9.0.0\na 1.0.0\nb 1.0.0";
    let question = with_subscription(build_cluster(lines), "a", None);
    assert_eq!(installed_names(&question), ["a.v1.0.0"]);
    insta::assert_snapshot!(failure_reasons(&question), @r"
    a.v1.0.0 is installed and not a.v2.0.0:
      subscription a wants a from channel stable of c; that is a.v2.0.0
      a.v2.0.0 needs package b in >=9.0.0: no open catalog provides it; c has b 1.0.0
    ");
}

#[test]
fn impossible_operator_stops_the_whole_namespace() {
    let question = with_subscription(build_cluster("a 1.0.0 needs=zzz:>=1.0.0\nb 1.0.0"), "a", None);
    insta::assert_snapshot!(resolve_names(&with_subscription(question, "b", None)).unwrap_err().join("\n"), @r"
    subscription a wants a from channel stable of c; that is a.v1.0.0
    a.v1.0.0 needs package zzz in >=1.0.0: no open catalog provides it
    ");
}

#[test]
fn installed_bundle_is_upgraded_along_the_chain_or_stays() {
    let lines = "a 3.0.0 replaces=2.0.0\na 2.0.0 replaces=1.0.0\na 1.0.0";
    assert_eq!(
        installed_names(&with_subscription(build_cluster(lines), "a", Some("1.0.0"))),
        ["a.v1.0.0 to a.v2.0.0"]
    );
    assert_eq!(
        installed_names(&with_subscription(build_cluster(lines), "a", Some("3.0.0"))),
        Vec::<String>::new()
    );
}

#[test]
fn installed_bundle_without_subscription_must_stay() {
    let lines = "a 1.0.0 needs=b:>=2.0.0\nb 2.0.0 replaces=1.0.0\nb 1.0.0";
    let question = with_installed(with_subscription(build_cluster(lines), "a", None), "b.v1.0.0");
    insta::assert_snapshot!(resolve_names(&question).unwrap_err().join("\n"), @r"
    subscription a wants a from channel stable of c; that is a.v1.0.0
    b.v1.0.0 is installed and has no subscription, so it must stay: delete the CSV if it is left over
    a.v1.0.0 needs package b in >=2.0.0: only b.v2.0.0
    b.v1.0.0 (installed) and b.v2.0.0 are of package b, and only one fits in a namespace
    ");
    let question = with_subscription(with_subscription(build_cluster(lines), "a", None), "b", Some("1.0.0"));
    assert_eq!(installed_names(&question), ["a.v1.0.0", "b.v1.0.0 to b.v2.0.0"]);
}

#[test]
fn api_has_one_provider_and_no_duplicates() {
    let lines = "a 1.0.0 gives=K\nb 1.0.0 gives=K\ntwin 2.0.0 gives=K gives=K";
    let question = with_subscription(with_subscription(build_cluster(lines), "a", None), "b", None);
    insta::assert_snapshot!(resolve_names(&question).unwrap_err().join("\n"), @r"
    subscription a wants a from channel stable of c; that is a.v1.0.0
    subscription b wants b from channel stable of c; that is b.v1.0.0
    a.v1.0.0 and b.v1.0.0 provide ex.io/v1 K, and only one fits in a namespace
    ");
    let why = resolve_names(&with_subscription(build_cluster(lines), "twin", None)).unwrap_err();
    assert_eq!(why[1], "twin.v2.0.0 can never be installed: API ex.io/v1 K is listed twice");
}

#[test]
fn subscriptions_come_before_dependencies() {
    let lines = "a 1.0.0 needs=b:>=1.0.0\nb 2.0.0 replaces=1.0.0\nb 1.0.0\nd 1.0.0\nd 2.0.0 skips=1.0.0 needs=b:1.0.0";
    let question = with_subscription(with_subscription(build_cluster(lines), "a", None), "b", None);
    assert_eq!(installed_names(&question), ["a.v1.0.0", "b.v2.0.0"]);
    let question = with_subscription(with_subscription(build_cluster(lines), "a", None), "d", None);
    assert_eq!(
        installed_names(&question),
        ["a.v1.0.0", "d.v2.0.0", "b.v1.0.0"],
        "the second takes back what the first took"
    );
}

#[test]
fn prefers_own_catalog_then_higher_priority() {
    let needy = "a 1.0.0 asks=K";
    let of = |priority: i64, own: &str| {
        let other = Source { priority, ..build_source("other", "x 1.0.0 gives=K") };
        let question =
            Question::new(vec![build_source("c", own), other, build_source("low", "w 1.0.0 gives=K")]);
        installed_names(&with_subscription(question, "a", None))
    };
    assert_eq!(of(0, needy), ["a.v1.0.0", "w.v1.0.0"], "by name");
    assert_eq!(of(1, needy), ["a.v1.0.0", "x.v1.0.0"]);
    assert_eq!(of(1, "a 1.0.0 asks=K\nz 1.0.0 gives=K"), ["a.v1.0.0", "z.v1.0.0"]);
}

#[test]
fn unreadable_dependency_of_old_version_fails_the_resolution() {
    let lines = "a 2.0.0 replaces=1.0.0\na 1.0.0 needs=b:>=1.0\nb 1.0.0";
    let question = with_subscription(build_cluster(lines), "a", None);
    let failed = resolve(&question, Limits::default());
    assert!(matches!(failed.outcome.unwrap_err().as_slice(), [Failure::Requirement { .. }]));
    assert!(failed.why[0].contains("a.v1.0.0 has a dependency that OLM cannot read"), "{:?}", failed.why);
    assert!(failed.why[0].ends_with(":32:10)"), "{:?}", failed.why);
    let question = with_subscription(build_cluster(lines), "a", Some("2.0.0"));
    assert_eq!(installed_names(&question), Vec::<String>::new(), "the upgrade filter leaves it out");
}

#[test]
fn rules_see_labels_in_properties() {
    let lines = "a 1.0.0 cel=properties.exists(p,p.type=='olm.label'_&&_p.value.label=='gold')\nb 1.0.0\ng 1.0.0 label=gold";
    assert_eq!(
        installed_names(&with_subscription(build_cluster(lines), "a", None)),
        ["a.v1.0.0", "g.v1.0.0"]
    );
    let failed = resolve_names(&with_subscription(build_cluster("a 1.0.0 cel=1\n"), "a", None)).unwrap_err();
    assert!(failed[0].contains("gives int and must give bool"), "{failed:?}");
}

#[test]
fn olm_deprecated_forbids_a_bundle_and_forces_an_upgrade() {
    let lines = "a 2.0.0 replaces=1.0.0\na 1.0.0 deprecated\nb 1.0.0 deprecated";
    assert_eq!(
        installed_names(&with_subscription(build_cluster(lines), "a", Some("1.0.0"))),
        ["a.v1.0.0 to a.v2.0.0"]
    );
    let failed = resolve_names(&with_subscription(build_cluster(lines), "b", None)).unwrap_err();
    assert_eq!(failed[1], "never chosen, because of the property olm.deprecated: b.v1.0.0");
}

#[test]
fn missing_target_of_subscription_fails() {
    let missing = |to: &str| {
        let question = with_subscription(build_cluster("tide 1.0.0\n"), to, None);
        let answer = resolve(&question, Limits::default());
        let Err(failures) = &answer.outcome else { panic!() };
        let [Failure::NoTarget { missing, .. }] = failures.as_slice() else { panic!() };
        (*missing, answer.why.concat())
    };
    let (what, why) = missing("tides");
    assert_eq!(what, MissingTarget::Package);
    assert!(why.ends_with("did you mean tide?"), "{why}");
    let (what, why) = missing("tide:fast");
    assert_eq!(what, MissingTarget::Channel);
    assert!(why.ends_with("channels: stable"), "{why}");
}

#[test]
fn reports_unstable_answers() {
    let lines = "a 1.0.0 asks=K\nb 1.0.0 asks=K\nx 1.0.0 gives=K needs=w:1.0.0\nw 1.0.0";
    assert!(!resolve(&with_subscription(build_cluster(lines), "a", None), Limits::default()).is_unstable);
    // The first subscription takes its version, and only one bundle of a package can be installed.
    let lines = "a 2.0.0 replaces=1.0.0 gives=K\na 1.0.0\nb 2.0.0 replaces=1.0.0 gives=K\nb 1.0.0";
    let question = with_subscription(with_subscription(build_cluster(lines), "a", None), "b", None);
    assert!(resolve(&question, Limits::default()).is_unstable);
    assert!(!resolve(&question, Limits::default().answer_only()).is_unstable, "nobody asked");
    let barely = resolve(&question, Limits { stability: 1, ..Limits::default() });
    assert!(
        barely.why.iter().any(|line| line.contains("is not known: olmap stopped looking after 1 steps")),
        "{:?}",
        barely.why
    );
    let two = "a 1.0.0\na:fast 1.0.0";
    assert!(resolve(&with_subscription(build_cluster(two), "a:*", None), Limits::default()).is_unstable);
    assert!(!resolve(&with_subscription(build_cluster(two), "a", None), Limits::default()).is_unstable);
}

#[test]
fn exceeded_step_limit_is_reported() {
    let question = with_subscription(build_cluster("a 1.0.0 needs=b:>=1.0.0\nb 1.0.0"), "a", None);
    let answer = resolve(&question, Limits { search: 3, ..Limits::default() });
    assert_eq!(answer.outcome.unwrap_err(), [Failure::StepLimitExceeded(StepLimitExceeded { steps: 3 })]);
    assert_eq!(answer.why, ["olmap stopped looking after 3 steps; OLM itself has no such limit"]);
}

/// Every visited choice takes steps, so that an explanation always ends.
#[test]
fn many_needs_of_one_bundle_take_steps() {
    let mut lines = "a 1.0.0".to_owned();
    for n in 0..300 {
        lines += &format!(" needs=b:>=1.0.0_!=0.0.{n}");
    }
    lines += " needs=c:1.0.0\nc 1.0.0 gives=K\n";
    for n in 0..100 {
        let replaces = if n > 0 { format!("replaces=1.0.{}", n - 1) } else { String::new() };
        lines += &format!("b 1.0.{n} {replaces} gives=K\n");
    }
    let question = with_subscription(build_cluster(&lines), "a", None);
    let limits = Limits { search: 100_000, ..Limits::default() };
    assert!(!resolve(&question, limits).is_known(), "each look at what is satisfied already is a step");
}

#[test]
fn fail_forward_drops_bundle_replaced_by_failed_upgrade() {
    let lines = "a 3.0.0 replaces=2.0.0\na 2.0.0 replaces=1.0.0\na 1.0.0";
    let mut question =
        with_subscription(with_installed(build_cluster(lines), "a.v1.0.0"), "a", Some("2.0.0"));
    question.installed[0].phase = "Replacing".to_owned();
    question.installed[1].phase = "Failed".to_owned();
    question.installed[1].replaces = Some("a.v1.0.0".into());
    assert!(resolve_names(&question).is_err());
    question.fails_forward = true;
    assert_eq!(installed_names(&question), ["a.v2.0.0 to a.v3.0.0"]);
    question.installed[0].phase = "Succeeded".to_owned();
    assert!(resolve_names(&question).unwrap_err()[0].contains("must be Replacing"));
}

#[test]
fn namespace_sees_own_and_global_catalogs() {
    let mut far = build_source("c", "a 1.0.0");
    far.key.namespace = "elsewhere".to_owned();
    let mut question = with_subscription(Question::new(vec![far]), "a", None);
    question.subscriptions[0].catalog.namespace = "elsewhere".to_owned();
    assert!(resolve_names(&question).unwrap_err()[0].ends_with("namespace operators does not see it"));
    question.sources[0].key.namespace = "operators".to_owned();
    question.subscriptions[0].catalog.namespace = "operators".to_owned();
    question.excludes_global = true;
    assert_eq!(installed_names(&question), ["a.v1.0.0"]);
}

#[test]
fn many_candidates_take_steps_for_each_requester() {
    // Each of 300 bundles has 40 requirements that every bundle satisfies: 3,600,000 candidates.
    let mut text = "---\nschema: olm.package\nname: a\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: a\nname: \
                    stable\nentries:\n"
        .to_owned();
    for n in 0..300u32 {
        let before = n.checked_sub(1).map(|n| format!(", replaces: a.v1.0.{n}")).unwrap_or_default();
        text += &format!("- {{name: a.v1.0.{n}{before}}}\n");
    }
    for n in 0..300 {
        text += &format!(
            "---\nschema: olm.bundle\npackage: a\nname: a.v1.0.{n}\nimage: ex.io/a\nproperties:\n- type: olm.package\n  \
             value: {{packageName: a, version: 1.0.{n}}}\n"
        );
        for m in 0..40 {
            let other = format!("{{package: {{packageName: z{m}, versionRange: 1.0.0}}}}");
            text += &format!("- type: olm.constraint\n  value: {{not: {{constraints: [{other}]}}}}\n");
        }
    }
    let index = Arc::new(CatalogIndex::new(&load_catalog(&[text])));
    let question = with_subscription(Question::new(vec![Source::new("c", &index)]), "a", None);
    let few = Limits { search: 1_000_000, explanation: 0, stability: 0 };
    assert!(
        matches!(resolve(&question, few).outcome, Err(failures) if failures.iter().any(Failure::is_own_limit))
    );
    let answer = resolve(&question, Limits { search: 20_000_000, explanation: 0, stability: 0 });
    assert_eq!(answer.picks().len(), 1, "{:?}", answer.outcome);
}
