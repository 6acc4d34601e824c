//! Images built by olmap: pushed to a registry and read from it.

use super::*;

/// Builds an archive of the demo in the home directory of a user.
fn build_demo_archive(user: &User) -> String {
    let archive = user.home_path("demo.tar").display().to_string();
    let run = user
        .run_olmap(&[
            "image",
            "build",
            CATALOG,
            "-t",
            "example.com/harbour/demo:v1",
            "--to",
            &format!("oci-archive:{archive}"),
        ])
        .exits(0);
    assert!(run.out.contains("example.com/harbour/demo:v1\ndigest sha256:"), "{}", run.out);
    format!("oci-archive:{archive}")
}

fn printed_digest(run: &Run) -> String {
    run.out.split("digest ").nth(1).unwrap().trim().to_owned()
}

#[test]
fn pushed_image_renders_as_its_directory() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let archive = build_demo_archive(&user);
    let expected = render_catalog(&user);
    assert!(user.run_olmap(&["render", &archive]).exits(0).out == expected);
    let to = format!("docker://{}/harbour/new:v7", setting.registry.host);
    let run = user.run_olmap(&["image", "push", &archive, &to, "--use-http"]).exits(0);
    let digest = printed_digest(&run);
    let pinned = format!("docker://{}/harbour/new@{digest}", setting.registry.host);
    for reference in [&to, &pinned] {
        assert!(user.run_olmap(&["render", "--use-http", reference]).exits(0).out == expected);
    }
    let again = user.run_olmap(&["image", "push", &archive, &to, "--use-http"]).exits(0);
    assert_eq!(printed_digest(&again), digest, "what is there already is not sent again, and is no error");
    let run = user.run_olmap(&["image", "push", &archive, &to]).exits(2);
    assert!(run.err.contains("--use-http"), "{}", run.err);
    let run = user.run_olmap(&["image", "push", &archive, &pinned, "--use-http"]).exits(2);
    assert!(run.err.contains("it has a digest"), "{}", run.err);
    let run = user.run_olmap(&["image", "push", CATALOG, &to, "--use-http"]).exits(2);
    assert!(run.err.contains("a layout or an archive"), "{}", run.err);
    let run = user.run_olmap(&["image", "push", &archive, &to, "--use-http", "--offline"]).exits(2);
    assert!(run.err.contains("without a connection"), "{}", run.err);
}

#[test]
fn push_uses_credentials_of_the_user() {
    let Some(setting) = DemoRegistry::new() else { return };
    let registry = setting.start_with_door(&Door::Password);
    let user = User::new();
    let archive = build_demo_archive(&user);
    let to = format!("docker://{}/harbour/locked:v1", registry.host);
    let push =
        |user: &User| check_no_secrets(user.run_olmap(&["image", "push", &archive, &to, "--use-http"]));
    let run = push(&user).exits(2);
    assert!(run.err.contains("wants credentials"), "{}", run.err);
    user.write_file("config/containers/auth.json", &credentials_json(&registry.host, "wrong one"));
    let run = push(&user).exits(2);
    assert!(run.err.contains("refuses the credentials of") && !run.err.contains("wrong one"), "{}", run.err);
    user.write_file("config/containers/auth.json", &credentials_json(&registry.host, PASSWORD));
    push(&user).exits(0);
    assert!(user.run_olmap(&["render", "--use-http", &to]).exits(0).out == render_catalog(&user));
}

#[test]
fn push_works_over_tls_and_interrupted_connections() {
    let Some(setting) = DemoRegistry::new() else { return };
    let certified = issue_certificate();
    let registry = setting.start_with_door(&Door::Tls(&certified));
    let user = User::new();
    user.write_file(&format!("config/containers/certs.d/{}/ca.crt", registry.host), &certified.authority);
    let archive = build_demo_archive(&user);
    let to = format!("docker://{}/harbour/safe:v1", registry.host);
    user.run_olmap(&["image", "push", &archive, &to]).exits(0);
    assert!(user.run_olmap(&["render", &to]).exits(0).out == render_catalog(&user));
    let between = FaultyProxy::new(&setting.registry.host, Fault::Stall { after: 0 });
    let to = format!("docker://{}/harbour/slow:v1", between.host);
    let begin = Instant::now();
    let run = user.run_olmap(&["image", "push", &archive, &to, "--use-http", "--timeout", "1"]).exits(2);
    assert!(run.err.contains("cannot reach"), "{}", run.err);
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
}

#[test]
fn rejected_catalog_is_not_built() {
    let user = User::new();
    let archive = format!("oci-archive:{}", user.home_path("broken.tar").display());
    let run = user
        .run_olmap(&["image", "build", "demo/broken", "-t", "example.com/x:v1", "--to", &archive])
        .exits(2);
    assert!(run.err.contains("no image is built: opm rejects demo/broken"), "{}", run.err);
    assert!(run.err.contains("error["), "the findings: {}", run.err);
    assert_eq!(fs::read_dir(user.home_path("")).unwrap().count(), 0, "nothing is left");
    let run = user.run_olmap(&[
        "image",
        "build",
        "demo/catalog/nothing",
        "-t",
        "example.com/x:v1",
        "--to",
        &archive,
    ]);
    run.exits(2);
    let run = user.run_olmap(&["image", "build", CATALOG, "-t", "example.com/x", "--to", &archive]).exits(2);
    assert!(run.err.contains("neither a tag nor a digest"), "{}", run.err);
}

#[test]
fn damaged_layout_is_not_pushed() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let layout = user.home_path("layout");
    let target = format!("oci:{}", layout.display());
    let name = format!("{}/harbour/damaged:v1", setting.registry.host);
    user.run_olmap(&["image", "build", CATALOG, "-t", &name, "--to", &target]).exits(0);
    let blobs: Vec<_> =
        fs::read_dir(layout.join("blobs/sha256")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let layer = blobs.iter().max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let whole = fs::read(layer).unwrap();
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    for (damaged, told) in [(&whole[..whole.len() - 50], "the manifest says"), (&other[..], "wrong digest")] {
        fs::write(layer, damaged).unwrap();
        let run = user.run_olmap(&["image", "push", &target, &name, "--use-http", "--timeout", "5"]).exits(2);
        assert!(run.err.contains(told), "{}", run.err);
    }
    fs::write(layer, &whole).unwrap();
    user.run_olmap(&["image", "push", &target, &name, "--use-http"]).exits(0);
}
