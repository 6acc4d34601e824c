//! The tables of an index, as far as a catalog is made of them.

/// What stands in the tables, row by row as they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tables {
    /// `package`
    pub packages: Vec<PackageRow>,
    /// `channel`
    pub channels: Vec<ChannelRow>,
    /// `channel_entry`
    pub entries: Vec<EntryRow>,
    /// `operatorbundle`
    pub bundles: Vec<BundleRow>,
    /// Whether it has a column for the version: then a bundle without one has none, whatever its CSV says.
    pub has_version: bool,
    /// The same of the range that a bundle skips.
    pub has_skip_range: bool,
    /// `properties`; `None` in an index that is older than the table.
    pub properties: Option<Vec<TypedRow>>,
    /// `dependencies`
    pub dependencies: Vec<TypedRow>,
    /// `related_image`: image and bundle.
    pub images: Vec<(String, String)>,
    /// `api_provider`, where there is no table of properties yet.
    pub provided: Vec<ApiRow>,
    /// `api_requirer`, in the same case.
    pub required: Vec<ApiRow>,
}

/// A row of `package`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PackageRow {
    pub name: String,
    pub default_channel: Option<String>,
}

/// A row of `channel`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChannelRow {
    pub name: String,
    pub package: String,
    pub head: Option<String>,
}

/// A row of `channel_entry`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EntryRow {
    pub id: i64,
    pub channel: String,
    pub package: String,
    pub bundle: String,
    pub replaces: Option<i64>,
    pub depth: i64,
}

/// A row of `operatorbundle`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BundleRow {
    pub name: Option<String>,
    pub csv: Option<String>,
    /// The objects, as JSON, one after another.
    pub objects: Option<String>,
    /// The bundle's image.
    pub path: Option<String>,
    pub skip_range: Option<String>,
    pub version: Option<String>,
}

/// A row of `api_provider` or `api_requirer`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ApiRow {
    pub group: String,
    pub version: String,
    pub kind: String,
    /// The bundle, or in older indexes the entry of it.
    pub bundle: Option<String>,
    pub entry: Option<i64>,
}

/// A row of `properties` or `dependencies`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TypedRow {
    pub kind: String,
    pub value: String,
    pub bundle: String,
}
