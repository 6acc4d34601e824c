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
    pub of: &'static str,
    /// Size at which it is measured whole.
    pub whole: usize,
    /// Writes the catalog into an empty directory.
    pub write: fn(&Path, usize) -> std::io::Result<()>,
}

/// Returns all shapes.
pub fn all() -> Vec<Shape> {
    let shape = |name, of, whole, write| Shape { name, of, whole, write };
    vec![
        shape("chain", "entries", 20_000, |to, n| one(to, &channel(n, &|_, _| {}))),
        shape("ranges nested", "entries", 20_000, |to, n| {
            one(to, &channel(n, &|entry, n| entry.range = Some(format!(">=1.0.0 <{}", version(n)))))
        }),
        shape("ranges shifted", "entries", 2_000, |to, n| {
            let below = |n: usize| version(n.saturating_sub(400));
            one(to, &channel(n, &|entry, n| entry.range = Some(format!(">={} <{}", below(n), version(n)))))
        }),
        shape("skips", "entries", 20_000, |to, n| {
            one(to, &channel(n, &|entry, n| entry.skips = (n.saturating_sub(4)..n).collect()))
        }),
        shape("tenth deprecated", "entries", 20_000, |to, n| {
            let tenths: Vec<usize> = (0..n).step_by(10).collect();
            one(to, &(channel(n, &|_, _| {}) + &deprecations(&tenths)))
        }),
        shape("channels", "channels", 500, |to, n| one(to, &channels(n, 200))),
        shape("packages", "packages", 50_000, packages),
        shape("files", "files", 100_000, files),
        shape("properties of 5 MB", "bundles", 20, properties),
        shape("bundle objects", "MB", 20, objects),
        shape("all wrong", "entries", 10_000, |to, n| one(to, &wrong(n))),
    ]
}

#[derive(Default)]
struct Entry {
    replaces: Option<String>,
    skips: Vec<usize>,
    range: Option<String>,
}

fn one(to: &Path, text: &str) -> std::io::Result<()> {
    fs::write(to.join("catalog.yaml"), text)
}

fn version(number: usize) -> String {
    format!("{}.{}.{}", 1 + number / 400, number / 20 % 20, number % 20)
}

fn name(number: usize) -> String {
    format!("operator.v{}", version(number))
}

fn package(text: &mut String, default: &str) {
    writeln!(text, "schema: olm.package\nname: operator\ndefaultChannel: {default}").unwrap();
}

fn entry(text: &mut String, named: &str, entry: &Entry) {
    writeln!(text, "- name: {named}").unwrap();
    if let Some(replaces) = &entry.replaces {
        writeln!(text, "  replaces: {replaces}").unwrap();
    }
    if !entry.skips.is_empty() {
        let skips: Vec<String> = entry.skips.iter().map(|&skipped| name(skipped)).collect();
        writeln!(text, "  skips: [{}]", skips.join(", ")).unwrap();
    }
    if let Some(range) = &entry.range {
        writeln!(text, "  skipRange: '{range}'").unwrap();
    }
}

fn bundle(text: &mut String, named: &str, package: &str, version: &str) {
    write!(
        text,
        "---\nschema: olm.bundle\npackage: {package}\nname: {named}\nimage: registry.example.com/{package}/{named}\n\
         properties:\n- type: olm.gvk\n  value:\n    group: example.com\n    kind: Thing\n    version: v1\n\
         - type: olm.package\n  value:\n    packageName: {package}\n    version: {version}\n"
    )
    .unwrap();
}

/// Returns a channel in which each entry replaces the previous one. `more` modifies an entry.
fn channel(count: usize, more: &dyn Fn(&mut Entry, usize)) -> String {
    let mut text = String::new();
    package(&mut text, "stable");
    text.push_str("---\nschema: olm.channel\npackage: operator\nname: stable\nentries:\n");
    for number in 0..count {
        let mut made = Entry { replaces: number.checked_sub(1).map(name), ..Entry::default() };
        more(&mut made, number);
        entry(&mut text, &name(number), &made);
    }
    (0..count).for_each(|n| bundle(&mut text, &name(n), "operator", &version(n)));
    text
}

fn deprecations(numbers: &[usize]) -> String {
    let mut text = String::from("---\nschema: olm.deprecations\npackage: operator\nentries:\n");
    for &number in numbers {
        let named = name(number);
        writeln!(text, "- message: Old.\n  reference: {{schema: olm.bundle, name: {named}}}").unwrap();
    }
    text
}

/// Returns channels with nearly the same entries; each begins one entry later than the previous one.
fn channels(count: usize, bundles: usize) -> String {
    let mut text = String::new();
    package(&mut text, "stable-0");
    for number in 0..count {
        writeln!(text, "---\nschema: olm.channel\npackage: operator\nname: stable-{number}\nentries:")
            .unwrap();
        let first = number % (bundles / 2);
        for n in first..bundles {
            let replaces = (n > first).then(|| name(n - 1));
            entry(&mut text, &name(n), &Entry { replaces, ..Entry::default() });
        }
    }
    (0..bundles).for_each(|n| bundle(&mut text, &name(n), "operator", &version(n)));
    text
}

/// Writes packages of two bundles in one file.
fn packages(to: &Path, count: usize) -> std::io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(to.join("catalog.yaml"))?);
    (0..count).try_for_each(|number| out.write_all(small(number).as_bytes()))?;
    out.flush()
}

/// Writes packages of two bundles, each in a directory, with one file per object.
fn files(to: &Path, count: usize) -> std::io::Result<()> {
    for number in 0..count.div_ceil(4) {
        let folder = to.join(format!("operator-{number}"));
        fs::create_dir(&folder)?;
        let text = small(number);
        for (at, object) in text.trim_start_matches("---\n").split("---\n").enumerate() {
            fs::write(folder.join(format!("{at}.yaml")), object)?;
        }
    }
    Ok(())
}

fn small(number: usize) -> String {
    let named = format!("operator-{number}");
    let mut text = format!("---\nschema: olm.package\nname: {named}\ndefaultChannel: stable\n");
    write!(
        text,
        "---\nschema: olm.channel\npackage: {named}\nname: stable\nentries:\n- name: {named}.v1.1.0\n  \
         replaces: {named}.v1.0.0\n- name: {named}.v1.0.0\n"
    )
    .unwrap();
    for version in ["1.0.0", "1.1.0"] {
        bundle(&mut text, &format!("{named}.v{version}"), &named, version);
    }
    text
}

/// Writes bundles with properties of 5 MB each: many small ones, and a large one.
fn properties(to: &Path, count: usize) -> std::io::Result<()> {
    big(to, count, &|text| {
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
fn objects(to: &Path, count: usize) -> std::io::Result<()> {
    // `{"kind":"ConfigMap","data":"aaa..."}`: the length of the head is a multiple of three.
    let head = "eyJraW5kIjoiQ29uZmlnTWFwIiwiZGF0YSI6ImFh";
    let object = format!("{head}{}YWEifQo=", "YWFh".repeat(2_490));
    big(to, count, &|text| {
        for _ in 0..100 {
            writeln!(text, "- type: olm.bundle.object\n  value:\n    data: {object}").unwrap();
        }
    })
}

/// Writes a chain of bundles. `more` adds properties.
fn big(to: &Path, count: usize, more: &dyn Fn(&mut String)) -> std::io::Result<()> {
    let mut out = BufWriter::new(fs::File::create(to.join("catalog.yaml"))?);
    let mut text = String::new();
    package(&mut text, "stable");
    text.push_str("---\nschema: olm.channel\npackage: operator\nname: stable\nentries:\n");
    for number in 0..count {
        let replaces = number.checked_sub(1).map(name);
        entry(&mut text, &name(number), &Entry { replaces, ..Entry::default() });
    }
    for number in 0..count {
        bundle(&mut text, &name(number), "operator", &version(number));
        more(&mut text);
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    out.flush()
}

/// Returns a channel with many mistakes: each replaced name is similar to an entry. Names and entries are
/// duplicated, bundles are in no channel, and ranges are invalid. There are dead ends, and deprecations of
/// missing bundles.
fn wrong(count: usize) -> String {
    let mut text = String::new();
    package(&mut text, "stabel");
    for channel in ["stable", "candidate"] {
        writeln!(text, "---\nschema: olm.channel\npackage: operator\nname: {channel}\nentries:").unwrap();
        for number in 0..count {
            let mut made = Entry { replaces: Some(format!("{}x", name(number))), ..Entry::default() };
            match number % 10 {
                0 => made.skips = (number.saturating_sub(9)..number).collect(),
                1 => made.range = Some(">=1.0 <2".to_owned()),
                2 => made.range = Some(">=1.0.0".to_owned()),
                _ => {}
            }
            entry(&mut text, &name(number), &made);
            if number % 20 == 0 {
                entry(&mut text, &name(number), &made);
            }
        }
    }
    for number in 0..count {
        // Every third entry does not have a bundle, every third bundle is duplicated, and some are in no
        // channel.
        let bundles = match number % 3 {
            0 => vec![name(number), name(number)],
            1 => vec![name(number), format!("{}-gone", name(number))],
            _ => vec![],
        };
        for named in bundles {
            bundle(&mut text, &named, "operator", &version(number));
        }
    }
    text + &deprecations(&(0..count).step_by(3).map(|n| n + count / 2).collect::<Vec<_>>())
}
