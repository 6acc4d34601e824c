use std::fmt::Write as _;

use proptest::prelude::*;

use super::{
    CatalogBundles, ConvertTo, Difference, Note, Options, Rendered, TemplateDocument, TemplateErrorKind,
    TemplateErrors, convert_catalog, infer_template, render_template,
};
use olm_catalog::{
    Catalog, Node, TemplateKind, load,
    template::substitution::SubstitutionError,
    text::canonical::{self, RenderFormat},
};

/// Returns a bundle blob of package `ship`, as one line of JSON.
fn bundle_json(version: &str, more: &str) -> String {
    format!(
        "{{\"schema\":\"olm.bundle\",\"package\":\"ship\",\"name\":\"ship.v{version}\",\"image\":\"{}\",\"properties\":[\
         {{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"ship\",\"version\":\"{version}\"}}}}{more}]}}\n",
        image_name(version)
    )
}

fn image_name(version: &str) -> String {
    format!("example.com/ship:{}", version.replace('+', "_"))
}

fn parse_catalog(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

fn bundle_lines(versions: &[&str]) -> String {
    versions.iter().map(|version| bundle_json(version, "")).collect()
}

/// Accepts every catalog.
fn accept_every_catalog(_: &Catalog) -> Vec<String> {
    Vec::new()
}

fn render_text(template: &str, from: &str) -> Result<Rendered, TemplateErrors> {
    let catalog = parse_catalog(from);
    let document = TemplateDocument::parse(template.as_bytes(), None)?;
    render_template(&document, &CatalogBundles::new([&catalog]), Options::default(), &accept_every_catalog)
}

fn to_yaml(rendered: &Rendered) -> String {
    rendered.to_text(RenderFormat::Yaml)
}

/// Returns `line: message` of each fault.
fn error_lines(template: &str, from: &str) -> Vec<String> {
    let lines = |at: usize| template[..at].matches('\n').count() + 1;
    let faults = render_text(template, from).unwrap_err().0;
    faults.iter().map(|fault| format!("{}: {fault}", lines(fault.at.range().start))).collect()
}

const SEMVER: &str = "---\nschema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n\
                      \x20 - image: example.com/ship:1.1.0\n  - image: example.com/ship:1.0.0\n";

#[test]
fn semver_template_renders_package_channels_and_bundles() {
    let text = to_yaml(&render_text(SEMVER, &bundle_lines(&["1.1.0", "1.0.0", "9.0.0"])).unwrap());
    assert!(
        text.starts_with(
            "---\ndefaultChannel: stable-v1\nname: ship\nschema: olm.package\n---\nentries:\n- name: ship.v1.0.0\n\
             - name: ship.v1.1.0\n  replaces: ship.v1.0.0\nname: stable-v1\npackage: ship\nschema: olm.channel\n---\n"
        ),
        "{text}"
    );
    assert_eq!(text.matches("schema: olm.bundle").count(), 2, "{text}");
}

#[test]
fn all_unknown_images_are_reported_with_locations() {
    assert_eq!(
        error_lines(SEMVER, &bundle_lines(&["9.0.0"])),
        [
            "6: no bundle is known with the image example.com/ship:1.1.0",
            "7: no bundle is known with the image example.com/ship:1.0.0"
        ]
    );
    let basic = "schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: a}\n- {schema: olm.bundle, image: b}\n";
    assert_eq!(
        error_lines(basic, ""),
        ["3: no bundle is known with the image a", "4: no bundle is known with the image b"]
    );
    let substitutes =
        "schema: olm.template.substitutes\nsubstitutions:\n- {name: a, base: one}\n- {name: b, base: two}\n";
    assert_eq!(error_lines(substitutes, "").len(), 2);
}

#[test]
fn faults_of_lists_are_located_at_images() {
    let template = SEMVER.replace("1.1.0", "1.0.0+1");
    let template = template.replace("1.0.0+1", "1.0.0_1");
    assert_eq!(
        error_lines(&template, &bundle_lines(&["1.0.0", "1.0.0+1"])),
        ["6: 1.0.0 and 1.0.0+1 in the list `stable` are the same version to OLM: build metadata has no order"]
            .map(|text| text.replace("6: 1.0.0 and 1.0.0+1", "7: 1.0.0+1 and 1.0.0"))
    );
}

#[test]
fn semver_template_refuses_bundle_without_single_version() {
    let two = bundle_json(
        "1.1.0",
        ",{\"type\":\"olm.package\",\"value\":{\"packageName\":\"ship\",\"version\":\"1.1.0\"}}",
    );
    let found = error_lines(SEMVER, &(two + &bundle_json("1.0.0", "")));
    assert_eq!(
        found,
        ["6: bundle of example.com/ship:1.1.0: 2 `olm.package` properties, where exactly one is needed"]
    );
    let odd = bundle_json("1.1.0", ",{\"type\":\"olm.gvk\",\"value\":5}");
    assert_eq!(error_lines(SEMVER, &(odd + &bundle_json("1.0.0", ""))).len(), 1);
}

/// Returns the property with a ClusterServiceVersion.
fn csv_property(csv: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    format!(",{{\"type\":\"olm.bundle.object\",\"value\":{{\"data\":\"{}\"}}}}", STANDARD.encode(csv))
}

const CSV: &str = "kind: ClusterServiceVersion\nmetadata: {name: ship.v1.1.0}\nspec:\n  description: Sails.\n  version: 1.1.0\n\
                   \x20 links: [{name: web, url: u}]\n  icon: [{base64data: aGk=, mediatype: image/png}]\n";

#[test]
fn description_and_icon_come_from_manifests_of_last_entry() {
    let from = bundle_json("1.1.0", &csv_property(CSV)) + &bundle_json("1.0.0", "");
    let text = to_yaml(&render_text(SEMVER, &from).unwrap());
    assert!(
        text.contains("description: Sails.\nicon:\n  base64data: aGk=\n  mediatype: image/png\n"),
        "{text}"
    );
    let bad = CSV.replace("aGk=", "'!'");
    let text = to_yaml(
        &render_text(SEMVER, &(bundle_json("1.1.0", &csv_property(&bad)) + &bundle_json("1.0.0", "")))
            .unwrap(),
    );
    assert!(text.contains("description: Sails.\nname: ship\n"), "{text}");
    let first = bundle_json("1.0.0", &csv_property(CSV)) + &bundle_json("1.1.0", "");
    assert!(!to_yaml(&render_text(SEMVER, &first).unwrap()).contains("description:"));
}

#[test]
fn missing_description_is_reported_and_can_be_kept() {
    let metadata = ",{\"type\":\"olm.csv.metadata\",\"value\":{\"description\":\"Sails.\"}}";
    let published =
        "{\"schema\":\"olm.package\",\"name\":\"ship\",\"defaultChannel\":\"x\",\"description\":\"Kept.\"}\n";
    let from = bundle_json("1.1.0", metadata) + &bundle_json("1.0.0", "") + published;
    let mut rendered = render_text(SEMVER, &from).unwrap();
    assert_eq!(rendered.notes, [Note::DescriptionUnavailable("ship.v1.1.0".to_owned())]);
    assert!(!to_yaml(&rendered).contains("description: Kept."));
    assert!(rendered.copy_description(&parse_catalog(&from)));
    let text = to_yaml(&rendered);
    assert!(text.starts_with("---\ndefaultChannel: stable-v1\ndescription: Kept.\nname: ship\n"), "{text}");
    assert!(!rendered.copy_description(&parse_catalog(&from)), "once");
}

#[test]
fn migration_keeps_the_description() {
    let catalog = parse_catalog(&(bundle_json("1.1.0", &csv_property(CSV)) + &bundle_json("1.0.0", "")));
    let document = TemplateDocument::parse(SEMVER.as_bytes(), None).unwrap();
    let known = CatalogBundles::new([&catalog]);
    let rendered =
        render_template(&document, &known, Options { migrate: true }, &accept_every_catalog).unwrap();
    let text = to_yaml(&rendered);
    assert!(text.contains("type: olm.csv.metadata") && !text.contains("olm.bundle.object"), "{text}");
    assert!(text.contains("description: Sails.\nicon:"), "{text}");
    let json = rendered.to_text(RenderFormat::Json);
    let (name, url) = (json.find("\"name\": \"web\"").unwrap(), json.find("\"url\": \"u\"").unwrap());
    assert!(name < url, "as a struct has its fields");
}

#[test]
fn first_bundle_of_first_catalog_wins() {
    let (mine, theirs) = (
        parse_catalog(&bundle_lines(&["1.0.0"])),
        parse_catalog(&bundle_json("1.0.0", ",{\"type\":\"x\",\"value\":1}")),
    );
    let template =
        "schema: olm.template.basic\nentries: [{schema: olm.bundle, image: 'example.com/ship:1.0.0'}]";
    let document = TemplateDocument::parse(template.as_bytes(), None).unwrap();
    let text = |catalogs: [&Catalog; 2]| {
        to_yaml(
            &render_template(
                &document,
                &CatalogBundles::new(catalogs),
                Options::default(),
                &accept_every_catalog,
            )
            .unwrap(),
        )
    };
    assert!(!text([&mine, &theirs]).contains("type: x"));
    assert!(text([&theirs, &mine]).contains("type: x"));
}

#[test]
fn basic_template_allows_only_images_of_bundles() {
    let with = |more: &str| format!("schema: olm.template.basic\nentries:\n- schema: olm.bundle\n{more}");
    let known = bundle_lines(&["1.0.0"]);
    for (more, found) in [
        ("  image: example.com/ship:1.0.0\n  package: ship\n", "a `package`"),
        ("  image: example.com/ship:1.0.0\n  properties: [{type: a, value: 1}]\n", "`properties`"),
        ("  image: example.com/ship:1.0.0\n  relatedImages: [{name: a, image: b}]\n", "`relatedImages`"),
        ("  name: ship.v1.0.0\n", "no `image`"),
    ] {
        let expected = format!(
            "3: a bundle in a basic template has `schema` and `image` only, but this one has {found}"
        );
        assert_eq!(error_lines(&with(more), &known), [expected]);
    }
    let fine = with("  image: example.com/ship:1.0.0\n  name: other\n  foo: 1\n");
    assert!(to_yaml(&render_text(&fine, &known).unwrap()).contains("name: ship.v1.0.0"));
}

#[test]
fn endlessly_repeated_bundle_is_refused() {
    let line = "- {schema: olm.bundle, image: 'example.com/ship:1.0.0'}\n";
    let template = |count: usize| format!("schema: olm.template.basic\nentries:\n{}", line.repeat(count));
    let twice = to_yaml(&render_text(&template(2), &bundle_lines(&["1.0.0"])).unwrap());
    assert_eq!(twice.matches("schema: olm.bundle").count(), 2);
    let large = bundle_json("1.0.0", &format!(",{{\"type\":\"x\",\"value\":\"{}\"}}", "x".repeat(1 << 20)));
    let refused = render_text(&template(80), &large).unwrap_err();
    assert_eq!(*refused.0[0].kind, TemplateErrorKind::TooLarge);
}

#[test]
fn first_document_decides_kind() {
    let kind =
        |text: &str, kind| TemplateDocument::parse(text.as_bytes(), kind).map(|document| document.kind);
    let refused = |text: &str, asked| *kind(text, asked).unwrap_err().0.remove(0).kind;
    assert_eq!(kind("---\nSchema: olm.semver\n---\n[: bad", None), Ok(TemplateKind::Semver));
    assert_eq!(kind("{\"schema\": \"olm.template.basic\"} xyz", None), Ok(TemplateKind::Basic));
    assert_eq!(refused("# a comment\n---\nschema: olm.semver\n", None), TemplateErrorKind::Empty);
    assert_eq!(
        kind("# a comment\n---\nschema: olm.semver\n", Some(TemplateKind::Semver)),
        Ok(TemplateKind::Semver)
    );
    assert_eq!(refused("", None), TemplateErrorKind::Empty);
    assert_eq!(refused("a: b", None), TemplateErrorKind::NoSchema);
    assert_eq!(
        refused("schema: olm.package", None),
        TemplateErrorKind::UnknownSchema("olm.package".to_owned())
    );
    assert!(matches!(refused("schema: 5", None), TemplateErrorKind::WrongType { .. }));
    assert!(matches!(refused("- a", None), TemplateErrorKind::WrongType { .. }));
    assert!(matches!(
        refused("schema: olm.semver", Some(TemplateKind::Basic)),
        TemplateErrorKind::OtherKind { expected: TemplateKind::Basic, .. }
    ));
    let both = "schema: olm.template.substitutes\nSchema: olm.template.basic\n";
    assert_eq!(kind(both, None), Ok(TemplateKind::Substitutes), "small letters come last");
}

const ENTRIES: &str = "schema: olm.template.substitutes\nentries:\n- {schema: olm.package, name: ship, defaultChannel: stable}\n\
    - schema: olm.channel\n  package: ship\n  name: stable\n  entries:\n  - {name: ship.v1.0.0}\n\
    \x20 - {name: ship.v1.1.0, replaces: ship.v1.0.0, skips: [ship.v0.9.0], skipRange: <1.1.0}\n\
    \x20 - {name: ship.v1.2.0, replaces: ship.v1.1.0}\n  - {name: ship.v1.3.0, replaces: ship.v1.2.0, skips: [ship.v1.1.0]}\n";

fn substitutes_template(substitutions: &str) -> String {
    let bundles = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
        .map(|version| format!("- {}", bundle_json(version, "")))
        .concat();
    format!("{ENTRIES}{bundles}substitutions:\n{substitutions}")
}

#[test]
fn substitute_replaces_its_base_in_every_channel() {
    let template = substitutes_template("- {name: 'example.com/ship:1.1.5', base: ship.v1.1.0}\n");
    let text = to_yaml(&render_text(&template, &bundle_lines(&["1.1.5"])).unwrap());
    let channel = text.split("---\n").nth(2).unwrap();
    assert_eq!(
        channel,
        "entries:\n- name: ship.v1.0.0\n- name: ship.v1.1.0\n- name: ship.v1.2.0\n  replaces: ship.v1.1.5\n  skips:\n\
         \x20 - ship.v1.1.0\n- name: ship.v1.3.0\n  replaces: ship.v1.2.0\n  skips:\n  - ship.v1.1.5\n- name: ship.v1.1.5\n\
         \x20 replaces: ship.v1.0.0\n  skipRange: <1.1.0\n  skips:\n  - ship.v0.9.0\n  - ship.v1.1.0\nname: stable\n\
         package: ship\nschema: olm.channel\n"
    );
}

#[test]
fn impossible_substitution_is_refused_with_location() {
    let known = bundle_lines(&["1.1.5", "1.0.0+2", "1.0.1", "1.4.0"]);
    let refused = |substitutions: &str| {
        let mut faults = render_text(&substitutes_template(substitutions), &known).unwrap_err().0;
        match *faults.remove(0).kind {
            TemplateErrorKind::Substitution(fault) => fault,
            other => panic!("{other}"),
        }
    };
    let one = |name: &str, base: &str| format!("- {{name: '{name}', base: '{base}'}}\n");
    let image = image_name("1.1.5");
    assert_eq!(refused("- {base: ship.v1.0.0}\n"), SubstitutionError::Absent("name"));
    assert_eq!(refused(&one(&image, "")), SubstitutionError::Absent("base"));
    assert_eq!(refused(&one(&image, &image)), SubstitutionError::Itself(image.clone()));
    assert_eq!(refused(&one(&image, "ship.v7")), SubstitutionError::NoBase("ship.v7".to_owned()));
    assert!(matches!(refused(&one(&image, "ship.v1.2.0")), SubstitutionError::NotAbove { .. }));
    // Build metadata is a release only if the manifests identify the bundle as a substitute.
    assert!(matches!(
        refused(&one("example.com/ship:1.0.0_2", "ship.v1.0.0")),
        SubstitutionError::NotAbove { .. }
    ));
    let twice = one(&image, "ship.v1.1.0") + &one(&image, "ship.v1.0.0");
    assert_eq!(refused(&twice), SubstitutionError::Again(image.clone()));
    let twice = one(&image, "ship.v1.1.0") + &one("example.com/ship:1.4.0", "ship.v1.1.0");
    assert_eq!(refused(&twice), SubstitutionError::Again("ship.v1.1.0".to_owned()));
}

#[test]
fn build_metadata_is_release_of_older_substitutes() {
    let annotated = ",{\"type\":\"olm.csv.metadata\",\"value\":{\"annotations\":{\"olm.substitutesFor\":\"ship.v1.0.0\"}}}";
    let template = substitutes_template("- {name: 'example.com/ship:1.0.0_2', base: ship.v1.0.0}\n");
    assert!(render_text(&template, &bundle_json("1.0.0+2", annotated)).is_ok());
    let long =
        substitutes_template("- {name: 'example.com/ship:1.0.0_a123456789b123456789c', base: ship.v1.0.0}\n");
    assert!(render_text(&long, &bundle_json("1.0.0+a123456789b123456789c", annotated)).is_err());
}

#[test]
fn invalid_catalog_is_refused_before_and_after_substitution() {
    let template = substitutes_template("- {name: 'example.com/ship:1.1.5', base: ship.v1.1.0}\n");
    let known = parse_catalog(&bundle_lines(&["1.1.5"]));
    let document = TemplateDocument::parse(template.as_bytes(), None).unwrap();
    let refused = |judge: &dyn Fn(&Catalog) -> Vec<String>| {
        let bundles = CatalogBundles::new([&known]);
        render_template(&document, &bundles, Options::default(), judge).unwrap_err().to_string()
    };
    let never = |_: &Catalog| vec!["no".to_owned()];
    assert_eq!(refused(&never), "the entries are not a valid catalog: no");
    let with_substitute = |catalog: &Catalog| {
        let has = catalog.package("ship").unwrap().bundle("ship.v1.1.5").is_some();
        if has { vec!["no".to_owned()] } else { Vec::new() }
    };
    assert_eq!(refused(&with_substitute), "not a valid catalog after ship.v1.1.5: no");
}

#[test]
fn conversion_keeps_the_order_of_the_file() {
    let text = "---\nschema: custom.x\nb: <1>\na: 1.0\n---\nschema: olm.bundle\nname: x\nimage: i\n---\nschema: olm.bundle\n";
    let basic = convert_catalog(text.as_bytes(), ConvertTo::Basic, RenderFormat::Yaml).unwrap();
    assert_eq!(
        basic,
        "---\nentries:\n- a: 1\n  b: <1>\n  schema: custom.x\n- image: i\n  schema: olm.bundle\n- image: \"\"\n  schema: olm.bundle\n\
         schema: olm.template.basic\n\n"
    );
    let json = convert_catalog(b"{\"schema\":\"x\",\"a\":\"<\"}", ConvertTo::Substitutes, RenderFormat::Json)
        .unwrap();
    assert_eq!(
        json,
        "{\n    \"schema\": \"olm.template.substitutes\",\n    \"entries\": [\n        {\n            \"a\": \"\\u003c\",\n            \
         \"schema\": \"x\"\n        }\n    ],\n    \"substitutions\": []\n}\n"
    );
    let fault =
        convert_catalog(b"---\nschema: x\n---\nname: 5\n", ConvertTo::Basic, RenderFormat::Yaml).unwrap_err();
    assert_eq!(fault.0[0].at.range(), 24..25);
    assert_eq!(
        convert_catalog(b"", ConvertTo::Basic, RenderFormat::Yaml).unwrap(),
        "---\nentries: null\nschema: olm.template.basic\n\n"
    );
}

/// Returns a random catalog in which every bundle has its own image.
fn any_catalog() -> impl Strategy<Value = String> {
    let versions = prop::collection::btree_set((0_u64..3, 0_u64..4), 1..6);
    (versions, any::<bool>(), "[a-z]{0,8}").prop_map(|(versions, is_skipping, text)| {
        let names: Vec<String> = versions.iter().map(|(major, minor)| format!("{major}.{minor}.0")).collect();
        let mut out =
            format!("---\nschema: olm.package\nname: ship\ndefaultChannel: stable\ndescription: '{text}'\n");
        out += "---\nschema: olm.channel\npackage: ship\nname: stable\nentries:\n";
        let mut before = "";
        for name in &names {
            out += &format!("- name: ship.v{name}\n");
            if !before.is_empty() {
                let edge = if is_skipping { "skipRange: '<9.0.0'\n" } else { "skips: []\n" };
                out += &format!("  replaces: ship.v{before}\n  {edge}");
            }
            before = name;
        }
        for name in names.iter().rev() {
            let _ = write!(out, "---\n{}", bundle_json(name, ""));
        }
        out + "---\nschema: custom.thing\nnumber: 1.50\n"
    })
}

proptest! {
    #[test]
    fn basic_template_renders_to_its_catalog(text in any_catalog()) {
        let template = convert_catalog(text.as_bytes(), ConvertTo::Basic, RenderFormat::Yaml).unwrap();
        let catalog = parse_catalog(&text);
        let docs: Vec<Node> = catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
        for format in [RenderFormat::Yaml, RenderFormat::Json] {
            let rendered = render_text(&template, &text).unwrap().to_text(format);
            prop_assert_eq!(rendered, canonical::render_documents(&docs, format));
        }
    }

    #[test]
    fn reading_a_template_never_panics(text in "(---\n)?(schema|stable|entries|bundles|image|- |: |\\{|\\}|\\[|olm.semver|olm.template.basic|\n| )*") {
        let _ = render_text(&text, "");
    }

    #[test]
    fn semver_template_is_inferred_from_its_catalog(versions in prop::collection::btree_set((0_u64..3, 0_u64..4, 0_u64..3), 1..8), major in any::<bool>(), minor in any::<bool>()) {
        let versions: Vec<String> = versions.iter().map(|(a, b, c)| format!("{a}.{b}.{c}")).collect();
        let list: Vec<String> = versions.iter().map(|version| format!("  - image: {}\n", image_name(version))).collect();
        let list = list.concat();
        let template = format!(
            "---\nschema: olm.semver\ngenerateMajorChannels: {major}\ngenerateMinorChannels: {}\nfast:\n  bundles:\n{list}",
            minor || !major
        );
        let known = bundle_lines(&versions.iter().map(String::as_str).collect::<Vec<_>>());
        let rendered = to_yaml(&render_text(&template, &known).unwrap());
        let inferred = infer_template(parse_catalog(&rendered).package("ship").unwrap()).unwrap();
        prop_assert_eq!(inferred.differences, []);
        prop_assert_eq!(inferred.template, template);
    }
}

#[test]
fn inferred_template_lists_changed_edges() {
    let text = to_yaml(&render_text(SEMVER, &bundle_lines(&["1.1.0", "1.0.0"])).unwrap());
    let package = |text: &str| parse_catalog(text).package("ship").cloned().unwrap();
    let changed = text.replace("  replaces: ship.v1.0.0\n", "  skipRange: <1.1.0\n");
    let found = infer_template(&package(&changed)).unwrap().differences;
    let edge = |from: &str| ("stable-v1".to_owned(), from.to_owned(), "ship.v1.1.0".to_owned());
    let (channel, from, to) = edge("<1.1.0");
    assert_eq!(found[0], Difference::EdgeGone { channel, from, to, kind: "skipRange" });
    let (channel, from, to) = edge("ship.v1.0.0");
    assert_eq!(found[1], Difference::EdgeNew { channel, from, to, kind: "replaces" });
    assert_eq!(found.len(), 2);
    let more = text.clone()
        + "---\nschema: olm.channel\npackage: ship\nname: alpha\nentries:\n- name: ship.v1.0.0\n";
    assert_eq!(
        infer_template(&package(&more)).unwrap().differences,
        [Difference::ChannelGone("alpha".to_owned())]
    );
    let left_out = text.clone()
        + &bundle_json("3.0.0", "")
        + "---\nschema: olm.deprecations\npackage: ship\nentries: []\n";
    let left_out = left_out.replace("\n{\"schema\"", "\n---\n{\"schema\"");
    assert_eq!(
        infer_template(&package(&left_out)).unwrap().differences,
        [
            Difference::BundleGone("ship.v3.0.0".to_owned()),
            Difference::ObjectGone("olm.deprecations".to_owned())
        ]
    );
    let named = text.replace("stable-v1", "stable");
    assert!(
        infer_template(&package(&named)).unwrap_err().to_string().contains("no channel such as stable-v1")
    );
}

#[test]
fn template_whose_first_document_is_empty_has_an_unknown_schema() {
    let read = |text: &str, kind| {
        TemplateDocument::parse(text.as_bytes(), kind).map(|_| ()).map_err(|faults| faults.to_string())
    };
    for text in ["---\n---\nschema: olm.semver\n", "", "# nothing\n"] {
        let error = read(text, Some(TemplateKind::Semver)).unwrap_err();
        assert!(error.contains("is not the schema of a template"), "{text}: {error}");
        assert!(read(text, None).is_err() && read(text, Some(TemplateKind::Basic)).is_err(), "{text}");
    }
    for text in ["# first\n---\nschema: olm.semver\n", "--- {schema: olm.semver}\n"] {
        assert!(read(text, Some(TemplateKind::Semver)).is_ok(), "{text}");
    }
}

#[test]
fn metadata_in_json_keeps_the_order_of_opm() {
    let metadata = ",{\"type\":\"olm.csv.metadata\",\"value\":{\"installModes\":[{\"supported\":true,\"type\":\"OwnNamespace\"}]}}";
    let template =
        "schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: example.com/ship:1.0.0}\n";
    let text = render_text(template, &bundle_json("1.0.0", metadata)).unwrap().to_text(RenderFormat::Json);
    let (kind, supported) = (text.find("\"OwnNamespace\"").unwrap(), text.find("\"supported\"").unwrap());
    assert!(kind < supported, "{text}");
}

#[test]
fn manifest_that_yaml_cannot_read_describes_nothing() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let described = |description: &str| {
        let csv = format!(
            "{{\"kind\":\"ClusterServiceVersion\",\"metadata\":{{}},\"spec\":{{\"description\":\"{description}\"}}}}"
        );
        let object = format!(
            ",{{\"type\":\"olm.bundle.object\",\"value\":{{\"data\":\"{}\"}}}}",
            STANDARD.encode(csv)
        );
        let from = bundle_json("1.1.0", &object) + &bundle_json("1.0.0", "");
        to_yaml(&render_text(SEMVER, &from).unwrap()).contains("\ndescription: ")
    };
    assert!(described("A cat: \u{1F431}"));
    assert!(!described("A cat: \\ud83d\\udc31"), "go-yaml refuses escaped surrogates");
    assert!(!described("a\\/b"), "go-yaml refuses an escaped slash");
}
