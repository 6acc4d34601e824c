//! Rule about names that the catalog cache of OLM v1 cannot store as intended.
//!
//! operator-controller stores each object of a catalog as the file `PACKAGE/SCHEMA/NAME.json`, and reads the folder
//! of a package with its subfolders (`internal/operator-controller/catalogmetadata/cache` and `client`).

use super::{
    finding::Finding, findings::Findings, format::format_with_kind, rules, schemas, subject::PackageSubject,
};
use olm_catalog::{BundleName, Catalog, ChannelName, DocId, PackageName, Span, blob::OtherBlob};

/// Maximum length of the name of a file, in bytes, in the file systems of Linux.
const MAX_FILE_NAME: usize = 255;

/// End of the names of the files in the cache.
const FILE_SUFFIX: &str = ".json";

/// Effect of a name on the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CacheFault {
    /// The file is not in the folder of the package, so the package does not have the object.
    OutsidePackage,
    /// The file cannot be written, so the cache of the catalog fails.
    TooLong(usize),
}

impl CacheFault {
    fn describe_effect(self) -> String {
        match self {
            Self::OutsidePackage => {
                "OLM v1 stores it outside of the folder of its package, and does not read \
                                     it with the package"
                    .to_owned()
            }
            Self::TooLong(bytes) => format!(
                "OLM v1 cannot store it in a file, because a part of the path has {bytes} bytes, and resolves \
                 nothing from the catalog"
            ),
        }
    }
}

/// Returns the effect of the names of an object; `None` if it is stored in the folder of its package.
fn find_fault(package: &str, schema: &str, name: &str) -> Option<CacheFault> {
    let file = format!("{}{FILE_SUFFIX}", if name.is_empty() { schema } else { name });
    let mut path: Vec<&str> = Vec::new();
    let mut is_outside = false;
    for part in [package, schema, &file].into_iter().flat_map(|text| text.split('/')) {
        match part {
            "" | "." => {}
            ".." => is_outside |= path.pop().is_none(),
            part => path.push(part),
        }
    }
    let longest = path.iter().map(|part| part.len()).max().unwrap_or_default();
    if longest > MAX_FILE_NAME {
        return Some(CacheFault::TooLong(longest));
    }
    let folder: Vec<&str> = package.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (is_outside || !path.starts_with(&folder)).then_some(CacheFault::OutsidePackage)
}

/// Object with the names that its file has.
struct StoredObject<'a> {
    package: &'a str,
    schema: &'a str,
    name: &'a str,
    doc: DocId,
    span: Span,
}

impl StoredObject<'_> {
    fn into_finding(self) -> Option<Finding> {
        let fault = find_fault(self.package, self.schema, self.name)?;
        let kind = self.schema.strip_prefix("olm.");
        let subject = match kind {
            Some(kind @ ("package" | "channel" | "bundle")) => format_with_kind(kind, &self.name),
            _ if self.name.is_empty() => format!("an object of schema {}", self.schema),
            _ => format!("{} of schema {}", self.name, self.schema),
        };
        let mut finding =
            Finding::new(&rules::NAME_BREAKS_CACHE, format!("{subject}: {}", fault.describe_effect()))
                .with_detail(self.schema)
                .with_detail(self.name)
                .at_span(self.doc, self.span);
        match kind {
            Some("bundle") => finding = finding.with_bundle(&BundleName::from(self.name)),
            Some("channel") => finding = finding.with_channel(&ChannelName::from(self.name)),
            _ => {}
        }
        Some(finding)
    }
}

/// Reports objects of a package.
pub(super) fn name_breaks_cache(s: &PackageSubject<'_>, found: &mut Findings) {
    let package = s.package;
    let stored =
        |schema, name, doc, span| StoredObject { package: package.name.as_str(), schema, name, doc, span };
    let definitions = package.definitions.iter();
    let definitions =
        definitions.map(|blob| stored("olm.package", blob.name.value.as_str(), blob.doc, blob.name.span));
    let channels = package.channels.iter();
    let channels =
        channels.map(|blob| stored("olm.channel", blob.name.value.as_str(), blob.doc, blob.name.span));
    let bundles = package.bundles.iter();
    let bundles =
        bundles.map(|blob| stored("olm.bundle", blob.name.value.as_str(), blob.doc, blob.name.span));
    let deprecations = package.deprecations.iter();
    let deprecations =
        deprecations.map(|blob| stored("olm.deprecations", &blob.name, blob.doc, blob.package.span));
    let objects = definitions.chain(channels).chain(bundles).chain(deprecations);
    objects.filter_map(StoredObject::into_finding).for_each(|finding| found.push(finding));
    report_other_objects(s.catalog, &package.others, found);
}

/// Reports objects that do not name a package, or have a schema that OLM does not know.
pub(super) fn report_other_objects(catalog: &Catalog, blobs: &[OtherBlob], found: &mut Findings) {
    for blob in blobs {
        let package = blob.package.as_ref().map(PackageName::as_str).unwrap_or_default();
        let name = blob.name.as_deref().unwrap_or_default();
        if find_fault(package, &blob.schema, name).is_none() {
            continue;
        }
        let span = schemas::schema_span(catalog, blob.doc);
        let object = StoredObject { package, schema: &blob.schema, name, doc: blob.doc, span };
        object.into_finding().into_iter().for_each(|finding| found.push(finding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_outside_of_the_package_and_long_parts_are_faults() {
        let long = "x".repeat(250);
        for (package, schema, name, fault) in [
            ("kiln", "olm.bundle", "kiln.v1", None),
            ("kiln", "olm.bundle", "a/b", None),
            ("kiln", "olm.bundle", "..", None),
            ("kiln", "olm.bundle", "../a", None),
            ("kiln", "olm.bundle", r"..\..\..\a", None),
            ("kiln", "olm.bundle", "../../a", Some(CacheFault::OutsidePackage)),
            ("kiln", "olm.bundle", "../../kiln/a", None),
            ("kiln", "../notes", "a", Some(CacheFault::OutsidePackage)),
            ("..", "olm.bundle", "a", Some(CacheFault::OutsidePackage)),
            ("", "example.notes", "", None),
            ("", "..", "a", Some(CacheFault::OutsidePackage)),
            ("kiln", "olm.bundle", &long, None),
            ("kiln", "olm.bundle", &format!("{long}y"), Some(CacheFault::TooLong(256))),
            ("kiln", "olm.bundle", &format!("{long}/{long}"), None),
            (&format!("{long}123456"), "olm.package", "kiln", Some(CacheFault::TooLong(256))),
        ] {
            assert_eq!(find_fault(package, schema, name), fault, "{package} {schema} {name}");
        }
    }
}
