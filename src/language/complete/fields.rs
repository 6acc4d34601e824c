//! Fields of each schema, as opm defines them.

/// Field of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Key of the field.
    pub key: &'static str,
    /// Description of the field.
    pub what: &'static str,
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

const fn one(key: &'static str, what: &'static str) -> Field {
    Field { key, what, nests: false }
}

const fn nest(key: &'static str, what: &'static str) -> Field {
    Field { key, what, nests: true }
}

const SCHEMA: Field = one("schema", "what the object is");
const PACKAGE: Field = one("package", "the package it belongs to");

/// Fields of a map: the schema of its object, the keys that lead to the map, the fields.
type Row = (&'static str, &'static [&'static str], &'static [Field]);

const IMAGES: &[Field] = &[one("image", "the bundle image")];
const LIST: &[Field] = &[nest("bundles", "bundle images, in any order")];

const ALL: &[Row] = &[
    ("", &[], &[SCHEMA]),
    (
        "olm.package",
        &[],
        &[
            SCHEMA,
            one("name", "the name of the package"),
            one("defaultChannel", "the channel of a subscription that names none"),
            one("description", "what the operator does, in Markdown"),
            nest("icon", "its picture"),
        ],
    ),
    (
        "olm.package",
        &["icon"],
        &[one("base64data", "the picture, in base64"), one("mediatype", "such as image/svg+xml")],
    ),
    (
        "olm.channel",
        &[],
        &[
            SCHEMA,
            PACKAGE,
            one("name", "the name of the channel"),
            nest("entries", "the bundles in the channel and their upgrade edges"),
        ],
    ),
    (
        "olm.channel",
        &["entries"],
        &[
            one("name", "the bundle"),
            one("replaces", "the bundle it is the successor of"),
            nest("skips", "bundles nobody should stay on or land on"),
            one("skipRange", "the versions that can be upgraded to it"),
        ],
    ),
    (
        "olm.bundle",
        &[],
        &[
            SCHEMA,
            PACKAGE,
            one("name", "the name of the bundle"),
            one("image", "the bundle image"),
            nest("properties", "what resolvers need to know of it"),
            nest("relatedImages", "the images it runs, for mirrors"),
        ],
    ),
    ("olm.bundle", &["properties"], &[one("type", "such as olm.gvk"), nest("value", "what it says")]),
    ("olm.bundle", &["relatedImages"], &[one("name", "what the image is for"), one("image", "the image")]),
    ("olm.deprecations", &[], &[SCHEMA, PACKAGE, nest("entries", "what is deprecated")]),
    (
        "olm.deprecations",
        &["entries"],
        &[nest("reference", "what is deprecated"), one("message", "what users are told")],
    ),
    (
        "olm.deprecations",
        &["entries", "reference"],
        &[
            one("schema", "olm.package, olm.channel or olm.bundle"),
            one("name", "of the channel or bundle; none for the package"),
        ],
    ),
    ("olm.template.basic", &[], &[SCHEMA, nest("entries", "the objects of the catalog")]),
    ("olm.template.basic", &["entries"], &[SCHEMA]),
    (
        "olm.template.substitutes",
        &[],
        &[
            SCHEMA,
            nest("entries", "the objects of the catalog"),
            nest("substitutions", "which bundle takes the place of which"),
        ],
    ),
    ("olm.template.substitutes", &["entries"], &[SCHEMA]),
    (
        "olm.template.substitutes",
        &["substitutions"],
        &[one("name", "the bundle that takes its place"), one("base", "the bundle that is replaced")],
    ),
    (
        "olm.semver",
        &[],
        &[
            SCHEMA,
            one("generateMajorChannels", "whether there is a channel for each major version"),
            one("generateMinorChannels", "whether there is a channel for each minor version"),
            one("defaultChannelTypePreference", "major or minor"),
            nest("candidate", "the bundles of the candidate channels"),
            nest("fast", "the bundles of the fast channels"),
            nest("stable", "the bundles of the stable channels"),
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
pub fn of(schema: Option<&str>, path: &[&str]) -> &'static [Field] {
    let found = ALL.iter().find(|(of, at, _)| *of == schema.unwrap_or_default() && *at == path);
    found.map(|(_, _, fields)| *fields).unwrap_or_default()
}
