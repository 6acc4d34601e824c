//! Catalogs of every shape that could cause quadratic cost, in any size.

use std::{
    fmt::Write as _,
    fs,
    io::{BufWriter, Write as _},
    path::Path,
};

/// Shape of a catalog, and its whole size.
pub struct Shape {
    /// Name of the shape.
    pub name: &'static str,
    /// Unit of the size.
    pub unit: &'static str,
    /// Size at which it is measured whole.
    pub max_size: usize,
    /// Writes the catalog into an empty directory.
    pub write: fn(&Path, usize) -> std::io::Result<()>,
}

/// Returns all shapes.
pub fn all_shapes() -> Vec<Shape> {
    let shape = |name, of, whole, write| Shape { name, unit: of, max_size: whole, write };
    vec![
        shape("chain", "entries", 20_000, |to, n| write_single_file(to, &channel_yaml(n, &|_, _| {}))),
        shape("ranges nested", "entries", 20_000, |to, n| {
            write_single_file(
                to,
                &channel_yaml(n, &|entry, n| entry.range = Some(format!(">=1.0.0 <{}", version_text(n)))),
            )
        }),
        shape("ranges shifted", "entries", 2_000, |to, n| {
            let below = |n: usize| version_text(n.saturating_sub(400));
            write_single_file(
                to,
                &channel_yaml(n, &|entry, n| {
                    entry.range = Some(format!(">={} <{}", below(n), version_text(n)));
                }),
            )
        }),
        shape("skips", "entries", 20_000, |to, n| {
            write_single_file(
                to,
                &channel_yaml(n, &|entry, n| entry.skips = (n.saturating_sub(4)..n).collect()),
            )
        }),
        shape("tenth deprecated", "entries", 20_000, |to, n| {
            let tenths: Vec<usize> = (0..n).step_by(10).collect();
            write_single_file(to, &(channel_yaml(n, &|_, _| {}) + &deprecations_yaml(&tenths)))
        }),
        shape("channels", "channels", 500, |to, n| write_single_file(to, &overlapping_channels_yaml(n, 200))),
        shape("packages", "packages", 50_000, write_packages),
        shape("files", "files", 100_000, write_package_files),
        shape("properties of 5 MB", "bundles", 20, write_large_properties),
        shape("bundle objects", "MB", 20, write_base64_objects),
        shape("all wrong", "entries", 10_000, |to, n| write_single_file(to, &faulty_channel_yaml(n))),
    ]
}

#[derive(Default)]
struct Entry {
    replaces: Option<String>,
    skips: Vec<usize>,
    range: Option<String>,
}

fn write_single_file(to: &Path, text: &str) -> std::io::Result<()> {
    fs::write(to.join("catalog.yaml"), text)
}

fn version_text(number: usize) -> String {
    format!("{}.{}.{}", 1 + number / 400, number / 20 % 20, number % 20)
}

fn bundle_name(number: usize) -> String {
    format!("operator.v{}", version_text(number))
}

fn push_package(text: &mut String, default: &str) {
    writeln!(text, "schema: olm.package\nname: operator\ndefaultChannel: {default}").unwrap();
}

fn push_entry(text: &mut String, named: &str, entry: &Entry) {
    writeln!(text, "- name: {named}").unwrap();
    if let Some(replaces) = &entry.replaces {
        writeln!(text, "  replaces: {replaces}").unwrap();
    }
    if !entry.skips.is_empty() {
        let skips: Vec<String> = entry.skips.iter().map(|&skipped| bundle_name(skipped)).collect();
        writeln!(text, "  skips: [{}]", skips.join(", ")).unwrap();
    }
    if let Some(range) = &entry.range {
        writeln!(text, "  skipRange: '{range}'").unwrap();
    }
}

fn push_bundle(text: &mut String, named: &str, package: &str, version: &str) {
    write!(
        text,
        "---\nschema: olm.bundle\npackage: {package}\nname: {named}\nimage: registry.example.com/{package}/{named}\n\
         properties:\n- type: olm.gvk\n  value:\n    group: example.com\n    kind: Thing\n    version: v1\n\
         - type: olm.package\n  value:\n    packageName: {package}\n    version: {version}\n"
    )
    .unwrap();
}

/// Returns a channel in which each entry replaces the previous one. `more` modifies an entry.
fn channel_yaml(count: usize, more: &dyn Fn(&mut Entry, usize)) -> String {
    let mut text = String::new();
    push_package(&mut text, "stable");
    text.push_str("---\nschema: olm.channel\npackage: operator\nname: stable\nentries:\n");
    for number in 0..count {
        let mut made = Entry { replaces: number.checked_sub(1).map(bundle_name), ..Entry::default() };
        more(&mut made, number);
        push_entry(&mut text, &bundle_name(number), &made);
    }
    (0..count).for_each(|n| push_bundle(&mut text, &bundle_name(n), "operator", &version_text(n)));
    text
}

fn deprecations_yaml(numbers: &[usize]) -> String {
    let mut text = String::from("---\nschema: olm.deprecations\npackage: operator\nentries:\n");
    for &number in numbers {
        let named = bundle_name(number);
        writeln!(text, "- message: Old.\n  reference: {{schema: olm.bundle, name: {named}}}").unwrap();
    }
    text
}

/// Returns channels with nearly the same entries; each begins one entry later than the previous one.
fn overlapping_channels_yaml(count: usize, bundles: usize) -> String {
    let mut text = String::new();
    push_package(&mut text, "stable-0");
    for number in 0..count {
        writeln!(text, "---\nschema: olm.channel\npackage: operator\nname: stable-{number}\nentries:")
            .unwrap();
        let first = number % (bundles / 2);
        for n in first..bundles {
            let replaces = (n > first).then(|| bundle_name(n - 1));
            push_entry(&mut text, &bundle_name(n), &Entry { replaces, ..Entry::default() });
        }
    }
    (0..bundles).for_each(|n| push_bundle(&mut text, &bundle_name(n), "operator", &version_text(n)));
    text
}

/// Writes packages of two bundles in one file.
fn write_packages(to: &Path, count: usize) -> std::io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(to.join("catalog.yaml"))?);
    (0..count).try_for_each(|number| out.write_all(small_package_yaml(number).as_bytes()))?;
    out.flush()
}

/// Writes packages of two bundles, each in a directory, with one file per object.
fn write_package_files(to: &Path, count: usize) -> std::io::Result<()> {
    for number in 0..count.div_ceil(4) {
        let folder = to.join(format!("operator-{number}"));
        fs::create_dir(&folder)?;
        let text = small_package_yaml(number);
        for (at, object) in text.trim_start_matches("---\n").split("---\n").enumerate() {
            fs::write(folder.join(format!("{at}.yaml")), object)?;
        }
    }
    Ok(())
}

fn small_package_yaml(number: usize) -> String {
    let named = format!("operator-{number}");
    let mut text = format!("---\nschema: olm.package\nname: {named}\ndefaultChannel: stable\n");
    write!(
        text,
        "---\nschema: olm.channel\npackage: {named}\nname: stable\nentries:\n- name: {named}.v1.1.0\n  \
         replaces: {named}.v1.0.0\n- name: {named}.v1.0.0\n"
    )
    .unwrap();
    for version in ["1.0.0", "1.1.0"] {
        push_bundle(&mut text, &format!("{named}.v{version}"), &named, version);
    }
    text
}

/// Writes bundles with properties of 5 MB each: many small ones, and a large one.
fn write_large_properties(to: &Path, count: usize) -> std::io::Result<()> {
    write_bundle_chain(to, count, &|text| {
        for line in 0..10_000 {
            writeln!(text, "- type: example.com/{line}\n  value:\n    of: thing-{line}\n    list: [1, 2, 3]")
                .unwrap();
        }
        text.push_str("- type: example.com/long\n  value: |-\n");
        for line in 0..60_000 {
            writeln!(text, "    {line}: what is written down here at length, and more of it").unwrap();
        }
    })
}

/// Writes bundles with a hundred base64 objects, 1 MB per bundle.
fn write_base64_objects(to: &Path, count: usize) -> std::io::Result<()> {
    // `{"kind":"ConfigMap","data":"aaa..."}`: the length of the head is a multiple of three.
    let head = "eyJraW5kIjoiQ29uZmlnTWFwIiwiZGF0YSI6ImFh";
    let object = format!("{head}{}YWEifQo=", "YWFh".repeat(2_490));
    write_bundle_chain(to, count, &|text| {
        for _ in 0..100 {
            writeln!(text, "- type: olm.bundle.object\n  value:\n    data: {object}").unwrap();
        }
    })
}

/// Writes a chain of bundles. `more` adds properties.
fn write_bundle_chain(to: &Path, count: usize, more: &dyn Fn(&mut String)) -> std::io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(to.join("catalog.yaml"))?);
    let mut text = String::new();
    push_package(&mut text, "stable");
    text.push_str("---\nschema: olm.channel\npackage: operator\nname: stable\nentries:\n");
    for number in 0..count {
        let replaces = number.checked_sub(1).map(bundle_name);
        push_entry(&mut text, &bundle_name(number), &Entry { replaces, ..Entry::default() });
    }
    for number in 0..count {
        push_bundle(&mut text, &bundle_name(number), "operator", &version_text(number));
        more(&mut text);
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    out.flush()
}

/// Returns a channel with many mistakes: each replaced name is similar to an entry. Names and entries are
/// duplicated, bundles are in no channel, and ranges are invalid. There are dead ends, and deprecations of
/// missing bundles.
fn faulty_channel_yaml(count: usize) -> String {
    let mut text = String::new();
    push_package(&mut text, "stabel");
    for channel in ["stable", "candidate"] {
        writeln!(text, "---\nschema: olm.channel\npackage: operator\nname: {channel}\nentries:").unwrap();
        for number in 0..count {
            let mut made = Entry { replaces: Some(format!("{}x", bundle_name(number))), ..Entry::default() };
            match number % 10 {
                0 => made.skips = (number.saturating_sub(9)..number).collect(),
                1 => made.range = Some(">=1.0 <2".to_owned()),
                2 => made.range = Some(">=1.0.0".to_owned()),
                _ => {}
            }
            push_entry(&mut text, &bundle_name(number), &made);
            if number % 20 == 0 {
                push_entry(&mut text, &bundle_name(number), &made);
            }
        }
    }
    for number in 0..count {
        // Every third entry does not have a bundle, every third bundle is duplicated, and some are in no
        // channel.
        let bundles = match number % 3 {
            0 => vec![bundle_name(number), bundle_name(number)],
            1 => vec![bundle_name(number), format!("{}-gone", bundle_name(number))],
            _ => vec![],
        };
        for named in bundles {
            push_bundle(&mut text, &named, "operator", &version_text(number));
        }
    }
    text + &deprecations_yaml(&(0..count).step_by(3).map(|n| n + count / 2).collect::<Vec<_>>())
}
