//! Tables of an index, as far as the conversion needs them.

/// Rows of the tables, in the order they were written.
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
    /// True if there is a version column. A bundle with an empty cell then has no version, whatever its CSV
    /// says.
    pub has_version: bool,
    /// True if there is a skip range column. An empty cell then means no skip range.
    pub has_skip_range: bool,
    /// `properties`; `None` in an index that is older than the table.
    pub properties: Option<Vec<TypedRow>>,
    /// `dependencies`
    pub dependencies: Vec<TypedRow>,
    /// `related_image`: image and bundle.
    pub images: Vec<(String, String)>,
    /// `api_provider`, only if the index has no `properties`.
    pub provided: Vec<ApiRow>,
    /// `api_requirer`, only if the index has no `properties`.
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
    /// Objects as consecutive JSON values.
    pub objects: Option<String>,
    /// Image of the bundle.
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
    /// Name of the bundle; older indexes refer to its entry instead.
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
