//! Generated large catalogs: packages with two channels and thirty bundles of about 20 kB each, like those of
//! vendors.

use std::{
    fmt::Write as _,
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
};

use olm_catalog::text::{canonical, split};

/// Writes a catalog of about `bytes` bytes in the format of opm.
pub fn write_catalog(path: &Path, bytes: usize, json: bool) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut written = 0;
    for number in 0.. {
        let package = package_yaml(number);
        let text = if json { yaml_to_json(&package) } else { package };
        out.write_all(text.as_bytes())?;
        written += text.len();
        if written >= bytes {
            break;
        }
    }
    out.flush()
}

fn package_yaml(number: usize) -> String {
    let name = format!("operator-{number}");
    let mut text = format!("---\ndefaultChannel: stable\nname: {name}\nschema: olm.package\n");
    for channel in ["stable", "candidate"] {
        text.push_str("---\nentries:\n");
        for minor in 0..30 {
            writeln!(text, "- name: {name}.v1.{minor}.0").unwrap();
            if minor > 0 {
                let before = minor - 1;
                writeln!(text, "  replaces: {name}.v1.{before}.0\n  skipRange: '>=1.0.0 <1.{minor}.0'")
                    .unwrap();
            }
        }
        write!(text, "name: {channel}\npackage: {name}\nschema: olm.channel\n").unwrap();
    }
    for minor in 0..30 {
        push_bundle(&mut text, &name, minor);
    }
    text
}

fn push_bundle(text: &mut String, name: &str, minor: usize) {
    let version = format!("1.{minor}.0");
    let image = format!("registry.example.com/{name}:v{version}");
    write!(text, "---\nimage: {image}\nname: {name}.v{version}\npackage: {name}\nproperties:\n").unwrap();
    for kind in 0..8 {
        let group = format!("{name}.example.com");
        write!(
            text,
            "- type: olm.gvk\n  value:\n    group: {group}\n    kind: Thing{kind}\n    version: v1\n"
        )
        .unwrap();
    }
    write!(text, "- type: olm.package\n  value:\n    packageName: {name}\n    version: {version}\n").unwrap();
    text.push_str("- type: olm.csv.metadata\n  value:\n    annotations:\n      alm-examples: |-\n");
    for line in 0..300 {
        writeln!(text, "        {{\"line\": {line}, \"spec\": {{\"replicas\": 3, \"size\": \"20Gi\"}}}}")
            .unwrap();
    }
    text.push_str(
        "    description: 'A thing described at some length, so that there is something to read.'\n",
    );
    text.push_str(
        "    displayName: Thing\n    installModes:\n    - supported: true\n      type: AllNamespaces\n",
    );
    text.push_str("schema: olm.bundle\n");
}

/// Converts the objects to JSON in the format of opm.
fn yaml_to_json(yaml: &str) -> String {
    let chunks = split::split_chunks(yaml.as_bytes()).into_iter();
    let docs =
        chunks.map(|chunk| split::parse_chunk(split::Format::Yaml, &yaml.as_bytes()[chunk.range]).unwrap());
    canonical::render_documents(&docs.collect::<Vec<_>>(), canonical::RenderFormat::Json)
}
