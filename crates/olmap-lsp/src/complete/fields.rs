//! Fields of each schema, as opm defines them.

/// Field of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Key of the field.
    pub key: &'static str,
    /// Description of the field.
    pub description: &'static str,
    /// True if the value is a list or a map.
    pub nests: bool,
}

/// Schemas of catalogs, each with a description of its objects.
pub const SCHEMAS: &[(&str, &str)] = &[
    ("olm.package", "a package: its default channel, description and icon"),
    ("olm.channel", "a channel of a package and its entries"),
    ("olm.bundle", "a bundle: its image and properties"),
    ("olm.deprecations", "what of a package is deprecated"),
];

/// Schemas of templates. A template file consists of one such object.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("olm.template.basic", "a template: a catalog whose bundles are images"),
    ("olm.semver", "a template: channels generated from versions"),
    ("olm.template.substitutes", "a template: a catalog with substitutions"),
];

/// Property types that olmap knows.
pub const PROPERTIES: &[(&str, &str)] = &[
    ("olm.package", "package and version of the bundle"),
    ("olm.gvk", "an API the bundle provides"),
    ("olm.gvk.required", "an API the bundle requires"),
    ("olm.package.required", "a package the bundle requires, and in which range"),
    ("olm.constraint", "a compound constraint"),
    ("olm.maxOpenShiftVersion", "the last OpenShift version the bundle runs on"),
    ("olm.csv.metadata", "what a console shows of the bundle"),
    ("olm.bundle.object", "a manifest of the bundle"),
];

const fn scalar_field(key: &'static str, what: &'static str) -> Field {
    Field { key, description: what, nests: false }
}

const fn nested_field(key: &'static str, what: &'static str) -> Field {
    Field { key, description: what, nests: true }
}

const SCHEMA: Field = scalar_field("schema", "what the object is");
const PACKAGE: Field = scalar_field("package", "the package it belongs to");

/// Fields of a map: the schema of its object, the keys that lead to the map, the fields.
type Row = (&'static str, &'static [&'static str], &'static [Field]);

const IMAGES: &[Field] = &[scalar_field("image", "the bundle image")];
const LIST: &[Field] = &[nested_field("bundles", "bundle images, in any order")];

const ALL: &[Row] = &[
    ("", &[], &[SCHEMA]),
    (
        "olm.package",
        &[],
        &[
            SCHEMA,
            scalar_field("name", "the name of the package"),
            scalar_field("defaultChannel", "the channel of a subscription that names none"),
            scalar_field("description", "what the operator does, in Markdown"),
            nested_field("icon", "its picture"),
        ],
    ),
    (
        "olm.package",
        &["icon"],
        &[
            scalar_field("base64data", "the picture, in base64"),
            scalar_field("mediatype", "such as image/svg+xml"),
        ],
    ),
    (
        "olm.channel",
        &[],
        &[
            SCHEMA,
            PACKAGE,
            scalar_field("name", "the name of the channel"),
            nested_field("entries", "the bundles in the channel and their upgrade edges"),
        ],
    ),
    (
        "olm.channel",
        &["entries"],
        &[
            scalar_field("name", "the bundle"),
            scalar_field("replaces", "the bundle it is the successor of"),
            nested_field("skips", "bundles nobody should stay on or land on"),
            scalar_field("skipRange", "the versions that can be upgraded to it"),
        ],
    ),
    (
        "olm.bundle",
        &[],
        &[
            SCHEMA,
            PACKAGE,
            scalar_field("name", "the name of the bundle"),
            scalar_field("image", "the bundle image"),
            nested_field("properties", "what resolvers need to know of it"),
            nested_field("relatedImages", "the images it runs, for mirrors"),
        ],
    ),
    (
        "olm.bundle",
        &["properties"],
        &[scalar_field("type", "such as olm.gvk"), nested_field("value", "what it says")],
    ),
    (
        "olm.bundle",
        &["relatedImages"],
        &[scalar_field("name", "what the image is for"), scalar_field("image", "the image")],
    ),
    ("olm.deprecations", &[], &[SCHEMA, PACKAGE, nested_field("entries", "what is deprecated")]),
    (
        "olm.deprecations",
        &["entries"],
        &[nested_field("reference", "what is deprecated"), scalar_field("message", "what users are told")],
    ),
    (
        "olm.deprecations",
        &["entries", "reference"],
        &[
            scalar_field("schema", "olm.package, olm.channel or olm.bundle"),
            scalar_field("name", "of the channel or bundle; none for the package"),
        ],
    ),
    ("olm.template.basic", &[], &[SCHEMA, nested_field("entries", "the objects of the catalog")]),
    ("olm.template.basic", &["entries"], &[SCHEMA]),
    (
        "olm.template.substitutes",
        &[],
        &[
            SCHEMA,
            nested_field("entries", "the objects of the catalog"),
            nested_field("substitutions", "which bundle takes the place of which"),
        ],
    ),
    ("olm.template.substitutes", &["entries"], &[SCHEMA]),
    (
        "olm.template.substitutes",
        &["substitutions"],
        &[
            scalar_field("name", "the bundle that takes its place"),
            scalar_field("base", "the bundle that is replaced"),
        ],
    ),
    (
        "olm.semver",
        &[],
        &[
            SCHEMA,
            scalar_field("generateMajorChannels", "whether there is a channel for each major version"),
            scalar_field("generateMinorChannels", "whether there is a channel for each minor version"),
            scalar_field("defaultChannelTypePreference", "major or minor"),
            nested_field("candidate", "the bundles of the candidate channels"),
            nested_field("fast", "the bundles of the fast channels"),
            nested_field("stable", "the bundles of the stable channels"),
        ],
    ),
    ("olm.semver", &["candidate"], LIST),
    ("olm.semver", &["fast"], LIST),
    ("olm.semver", &["stable"], LIST),
    ("olm.semver", &["candidate", "bundles"], IMAGES),
    ("olm.semver", &["fast", "bundles"], IMAGES),
    ("olm.semver", &["stable", "bundles"], IMAGES),
];

/// Returns the fields of a map, given the schema of its object and the keys that lead to the map.
pub fn fields_for(schema: Option<&str>, path: &[&str]) -> &'static [Field] {
    let found = ALL.iter().find(|(of, at, _)| *of == schema.unwrap_or_default() && *at == path);
    found.map(|(_, _, fields)| *fields).unwrap_or_default()
}

/// Text with placeholders for the value of a field that nests: its first item or its keys. Lines after the first are
/// indented relative to the key.
pub fn snippet_for(schema: Option<&str>, path: &[&str], key: &str) -> Option<&'static str> {
    let text = match (schema.unwrap_or_default(), path, key) {
        ("olm.package", [], "icon") => "icon:\n  base64data: $1\n  mediatype: ${2:image/svg+xml}",
        ("olm.channel", [], "entries") => "entries:\n- name: $1",
        ("olm.channel", ["entries"], "skips") => "skips:\n- $1",
        ("olm.bundle", [], "properties") => {
            "properties:\n- type: olm.package\n  value:\n    packageName: $1\n    version: $2"
        }
        ("olm.bundle", [], "relatedImages") => "relatedImages:\n- name: $1\n  image: $2",
        ("olm.deprecations", [], "entries") => {
            "entries:\n- reference:\n    schema: ${1|olm.bundle,olm.channel|}\n    name: $2\n  message: $3"
        }
        ("olm.deprecations", ["entries"], "reference") => {
            "reference:\n  schema: ${1|olm.bundle,olm.channel|}\n  name: $2"
        }
        ("olm.template.basic" | "olm.template.substitutes", [], "entries") => "entries:\n- schema: $1",
        ("olm.template.substitutes", [], "substitutions") => "substitutions:\n- name: $1\n  base: $2",
        ("olm.semver", [], "candidate") => "candidate:\n  bundles:\n  - image: $1",
        ("olm.semver", [], "fast") => "fast:\n  bundles:\n  - image: $1",
        ("olm.semver", [], "stable") => "stable:\n  bundles:\n  - image: $1",
        ("olm.semver", ["candidate" | "fast" | "stable"], "bundles") => "bundles:\n- image: $1",
        _ => return None,
    };
    Some(text)
}

/// Skeletons of new documents: the schema, the text with placeholders, and its description.
pub const SKELETONS: &[(&str, &str, &str)] = &[
    (
        "olm.package",
        "schema: olm.package\nname: ${1:NAME}\ndefaultChannel: ${2:CHANNEL}\ndescription: $3\n",
        "new package",
    ),
    (
        "olm.channel",
        "schema: olm.channel\npackage: ${1:PACKAGE}\nname: ${2:CHANNEL}\nentries:\n- name: $3\n",
        "new channel",
    ),
    (
        "olm.bundle",
        "schema: olm.bundle\npackage: ${1:PACKAGE}\nname: ${2:NAME}\nimage: ${3:IMAGE}\nproperties:\n- type: olm.package\n  \
         value:\n    packageName: ${1:PACKAGE}\n    version: ${4:VERSION}\n",
        "new bundle",
    ),
    (
        "olm.deprecations",
        "schema: olm.deprecations\npackage: ${1:PACKAGE}\nentries:\n- reference:\n    schema: \
         ${2|olm.bundle,olm.channel|}\n    name: $3\n  message: $4\n",
        "new deprecations",
    ),
];

/// Returns the description of a schema, a template or a type of properties.
pub fn constant_description(text: &str) -> Option<&'static str> {
    let all = SCHEMAS.iter().chain(TEMPLATES).chain(PROPERTIES);
    all.into_iter().find(|(name, _)| *name == text).map(|(_, description)| *description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_of_known_fields() {
        let known = |key: &str| ALL.iter().flat_map(|(_, _, fields)| *fields).any(|field| field.key == key);
        for (schema, path, fields) in ALL {
            for field in *fields {
                let Some(snippet) = snippet_for(Some(schema), path, field.key) else { continue };
                assert!(field.nests && snippet.starts_with(&format!("{}:\n", field.key)), "{snippet}");
                let keys =
                    snippet.lines().filter_map(|line| line.trim_start_matches([' ', '-']).split_once(':'));
                for (key, _) in keys {
                    assert!(known(key) || ["packageName", "version"].contains(&key), "{key} in {snippet}");
                }
            }
        }
        for (schema, text, _) in SKELETONS {
            assert!(
                text.starts_with(&format!("schema: {schema}\n")) && constant_description(schema).is_some()
            );
        }
    }
}
