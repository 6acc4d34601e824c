//! Table of rules: the only definition of ids, severities, texts and functions. `console_rules.rs`
//! contains the rules about consoles, `bundle_rules.rs` those about bundle directories and upgrade
//! steps.

use super::{
    bundle, bundle_rules, cache_names, channel, confusables, console_rules, dependencies, deprecation, entry,
    loading, package, packaging, ranges, readiness, resolution,
    rule::{Check, Rule, RuleProperty, Severity},
    schemas, skipped_ranges, stuck,
    table::rules,
    templates, unchecked, upgrades, way_out,
};
pub use super::{bundle_rules::*, console_rules::*};
use olm_catalog::similar_names;

/// Returns the rule with a current or former id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.has_id(id))
}

/// Suggests a rule id similar to an unknown one.
pub fn suggest_id(id: &str) -> Option<&'static str> {
    let ids = || ALL.iter().map(|rule| rule.id);
    let id = id.trim().to_lowercase().replace(['_', ' '], "-");
    let holds = |candidate: &&str| id.len() > 2 && candidate.contains(&id);
    ids()
        .find(|candidate| *candidate == id)
        .or_else(|| similar_names::suggest_closest(&id, ids()))
        .or_else(|| ids().find(holds))
}

/// Number of rules.
const RULE_COUNT: usize = CATALOG_RULE_COUNT + bundle_rules::OF_BUNDLES.len();
/// Number of rules about catalogs, including those about consoles.
const CATALOG_RULE_COUNT: usize = OF_CATALOGS.len() + console_rules::OF_CONSOLES.len();

static ALL_RULES: [&Rule; RULE_COUNT] = {
    let mut all = [OF_CATALOGS[0]; RULE_COUNT];
    let mut at = 0;
    while at < RULE_COUNT {
        all[at] = if at < OF_CATALOGS.len() {
            OF_CATALOGS[at]
        } else if at < CATALOG_RULE_COUNT {
            console_rules::OF_CONSOLES[at - OF_CATALOGS.len()]
        } else {
            bundle_rules::OF_BUNDLES[at - CATALOG_RULE_COUNT]
        };
        at += 1;
    }
    all
};

/// All rules, in the order of the tables.
pub static ALL: &[&Rule] = &ALL_RULES;

rules! {
    OF_CATALOGS:
    // Reading files and documents.
    UNREADABLE_FILE: "unreadable-file" Error opm Problem(loading::unreadable_file)
        "A file or folder that cannot be read"
        "check its permissions";
    BAD_LINK: "bad-link" Error opm Problem(loading::bad_link)
        "A symbolic link to a folder, or a broken one"
        "remove the link, or list it in .indexignore";
    SPECIAL_FILE: "special-file" Error opm Problem(loading::special_file)
        "A named pipe, socket or device in place of a file"
        "remove it, or list it in .indexignore";
    LINK_OUT_OF_CATALOG: "link-out-of-catalog" Warning ours Problem(loading::link_out_of_catalog)
        "A symbolic link to a file outside the catalog"
        "copy the file into the catalog, unless the link is intended";
    BAD_LINKED_FILE: "bad-linked-file" Error opm Problem(loading::bad_linked_file)
        "A link to a file outside the catalog that is not catalog content"
        "remove the link, or list it in .indexignore";
    LFS_POINTER: "lfs-pointer" Error opm Problem(loading::lfs_pointer)
        "A file that was not fetched, only its Git LFS pointer"
        "fetch it with git lfs pull";
    LEFT_OVER_SAVE: "left-over-save" Error opm Problem(loading::left_over_save)
        "A temporary file left over from an interrupted save"
        "remove it; if an edit is missing, first compare it with the file next to it";
    LEFT_OVER_FOLDER: "left-over-folder" Warning ours Problem(loading::left_over_folder)
        "A temporary folder left over from an interrupted save"
        "remove it with its contents";
    TEMPLATE: "template" Note ours Problem(loading::template_error)
        "A catalog template, and what cannot be known from it"
        "also open a catalog generated from it, if bundles are not known";
    BAD_TEMPLATE: "bad-template" Error ours Problem(loading::bad_template)
        "A template that opm rejects"
        "correct the template";
    EMPTY_LIST: "empty-list" Warning ours Template(templates::empty_list)
        "A list of a semver template without bundles"
        "add a bundle image, or remove the list";
    OVERRULED_PREFERENCE: "overruled-preference" Note ours Template(templates::overruled_preference)
        "A preference that does not decide the default channel"
        "generate one kind of channels only";
    NOT_IN_CANDIDATE: "not-in-candidate" Note ours Template(templates::not_in_candidate)
        "Bundles that are released, but not in the candidate list"
        "add them to candidate too, unless the list is for pre-releases only";
    TEMPLATE_IMAGE_BY_TAG: "template-image-by-tag" Note ours Template(templates::image_by_tag)
        "Bundle images that are given by tag"
        "give the digest: a tag may point to another image when the catalog is rendered again";
    VERSION_GOES_DOWN: "version-goes-down" Note ours Template(templates::version_goes_down)
        "A list of a semver template that is not in the order of versions"
        "put it in order: opm sorts by version, readers do not";
    TEMPLATE_DIFFERS: "template-differs" Warning ours Published()
        "A catalog that differs from its template"
        "olmap template check shows the difference; render the template, or edit it too";
    IMAGE_KNOWN_OTHERWISE: "image-known-otherwise" Warning ours Template(templates::image_known_otherwise)
        "An image that the catalog has by another digest"
        "check which of the two is released";
    REJECTED_BUNDLE: "rejected-bundle" Error opm Problem(loading::rejected_bundle)
        "A bundle directory that opm rejects"
        "olmap bundle validate DIR shows where";
    BAD_INDEXIGNORE: "bad-indexignore" Error opm Problem(loading::bad_indexignore)
        "An .indexignore pattern that opm rejects"
        "correct the pattern";
    NOT_UTF8: "not-utf8" Error opm Problem(loading::not_utf8)
        "A file that is not UTF-8"
        "save the file as UTF-8";
    LOST_DOCUMENTS: "lost-documents" Error ours Problem(loading::lost_documents)
        "Objects of a UTF-16 file that opm does not read"
        "save the file as UTF-8";
    CONTROL_CHARACTER: "control-character" Error opm Problem(loading::control_character)
        "A control character that YAML does not allow"
        "remove it, or write it as an escape in double quotes";
    YAML_SYNTAX: "yaml-syntax" Error opm Problem(loading::yaml_syntax)
        "Broken YAML"
        "correct the syntax here, or in the lines before";
    JSON_SYNTAX: "json-syntax" Error opm Problem(loading::json_syntax)
        "Broken JSON"
        "correct the syntax here, or in the lines before";
    TOO_COMPLEX: "too-complex" Error opm Problem(loading::too_complex)
        "More nesting or aliases than opm reads"
        "flatten the document, or replace aliases by their content";
    BAD_KEY: "bad-key" Error opm Problem(loading::bad_key)
        "A key that JSON cannot represent"
        "make it a string";
    BAD_SCALAR: "bad-scalar" Error opm Problem(loading::bad_scalar)
        "A scalar that JSON cannot represent, or that does not match its tag"
        "quote it if it is text";
    NOT_AN_OBJECT: "not-an-object" Error opm Problem(loading::not_an_object)
        "A document that is not a map"
        "every document of a catalog is a map with a schema; list other files in .indexignore";
    EMPTY_DOCUMENT: "empty-document" Error opm Problem(loading::empty_document)
        "A document without an object"
        "remove the `---` line before it, or the comments above the first one";
    MISSING_SCHEMA: "missing-schema" Error opm Problem(loading::missing_schema)
        "An object without a schema"
        "add `schema:`, or list the file in .indexignore";
    AMBIGUOUS_KEY: "ambiguous-key" Error opm Problem(loading::ambiguous_key)
        "Two top-level keys that differ only in case"
        "keep one of them";
    WRONG_TYPE: "wrong-type" Error opm Problem(loading::wrong_type)
        "A value of the wrong type"
        "quote text, or remove the key";
    MISSING_VALUE: "missing-value" Error opm Problem(loading::missing_value)
        "A property without a value"
        "give it a value; null is enough";
    BAD_ENCODING: "bad-encoding" Error opm Problem(loading::bad_encoding)
        "A value that is not valid base64"
        "encode it again: standard alphabet, with padding";
    DUPLICATE_KEY: "duplicate-key" Warning ours Problem(loading::duplicate_key)
        "A duplicate key in a map"
        "keep one of them: every reader silently takes the last";

    // Names.
    MISSING_NAME: "missing-name" Error opm Package(package::missing_name)
        "A package, channel, entry or bundle without a name"
        "give it its name";
    MISSING_PACKAGE: "missing-package" Error opm Package(package::missing_package)
        "A channel, bundle or deprecations without a package"
        "add `package:`"
        [NeedsImages];
    INVISIBLE_IN_NAME: "invisible-in-name" Warning ours Package(confusables::invisible)
        "A name with an invisible character"
        "remove it, here and wherever the name is used";
    LOOK_ALIKE_NAMES: "look-alike-names" Warning ours Package(confusables::look_alike)
        "Two names that look alike but differ"
        "if they are meant to be the same, use one spelling; otherwise rename one";
    NAME_BREAKS_CACHE: "name-breaks-cache" Warning ours Package(cache_names::name_breaks_cache)
        "A name that the catalog cache of OLM v1 cannot store"
        "use a shorter name, without /";

    // Packages.
    BAD_PACKAGE_NAME: "bad-package-name" Error opm Package(package::bad_package_name)
        "A package name that is not a DNS label"
        "use at most 63 lower case letters, digits and inner hyphens";
    DUPLICATE_PACKAGE: "duplicate-package" Error opm Package(package::duplicate_package)
        "A package that is defined twice"
        "keep one olm.package of the name";
    UNKNOWN_PACKAGE: "unknown-package" Error opm Package(package::unknown_package)
        "Channels, bundles or deprecations of a package that is not defined"
        "add an olm.package of that name, or correct the name";
    NO_CHANNELS: "no-channels" Error opm Package(package::no_channels)
        "A package without channels"
        "add a channel with at least one entry";
    MISSING_DEFAULT_CHANNEL: "missing-default-channel" Error opm Package(package::missing_default_channel)
        "A package without a default channel"
        "set defaultChannel to the channel that users should get";
    UNKNOWN_DEFAULT_CHANNEL: "unknown-default-channel" Error opm Package(package::unknown_default_channel)
        "A default channel that does not exist"
        "set defaultChannel to one of the package's channels";

    // Channels.
    DUPLICATE_CHANNEL: "duplicate-channel" Error opm Package(channel::duplicate_channel)
        "A channel that is defined twice"
        "merge their entries into one";
    EMPTY_CHANNEL: "empty-channel" Error opm Package(channel::empty_channel)
        "A channel without entries"
        "add an entry, or remove the channel";
    NO_HEAD: "no-head" Error opm Package(channel::no_head)
        "A channel in which every entry is replaced or skipped"
        "leave the newest entry unreplaced and unskipped"
        [OncePerChannel, BreaksChain];
    MULTIPLE_HEADS: "multiple-heads" Error opm Package(channel::multiple_heads)
        "A channel with several heads"
        "make the newest entry replace or skip the others, directly or through its replaces chain"
        [OncePerChannel, BreaksChain, ShownInGraph];
    REPLACES_CYCLE: "replaces-cycle" Error opm Package(channel::replaces_cycle)
        "A cycle of replaces"
        "remove the replaces that closes the cycle"
        [BreaksChain];
    STRANDED_ENTRY: "stranded-entry" Error opm Package(channel::stranded_entry)
        "Entries that the replaces chain from the head does not reach"
        "put them on the chain with replaces, or skip them"
        [OncePerChannel];

    // Entries.
    DUPLICATE_ENTRY: "duplicate-entry" Error opm Package(entry::duplicate_entry)
        "A bundle with two entries in one channel"
        "merge them into one";
    ENTRY_WITHOUT_BUNDLE: "entry-without-bundle" Error opm Package(entry::entry_without_bundle)
        "An entry whose bundle is not in the catalog"
        "add the bundle, or remove the entry";
    EMPTY_SKIP: "empty-skip" Error opm Package(entry::empty_skip)
        "An empty name in skips"
        "remove it, or name the bundle to skip";
    BAD_SKIP_RANGE: "bad-skip-range" Error opm Package(entry::bad_skip_range)
        "A skipRange that is not a range"
        "write comparators with full versions, separated by spaces: '>=1.0.0 <1.2.0'";
    RANGE_DIALECT: "range-dialect" Error opm Package(entry::range_dialect)
        "A skipRange in another tool's syntax"
        "skipRange supports no commas, ~, ^ or partial versions: write '>=1.0.0 <2.0.0'";

    // Bundles.
    DUPLICATE_BUNDLE: "duplicate-bundle" Error opm Package(bundle::duplicate_bundle)
        "A bundle that is defined twice"
        "keep one of them";
    BUNDLE_IN_NO_CHANNEL: "bundle-in-no-channel" Error opm Package(bundle::bundle_in_no_channel)
        "A bundle in no channel"
        "add an entry for it to a channel, or remove it";
    MISSING_PACKAGE_PROPERTY: "missing-package-property" Error opm Package(bundle::missing_package_property)
        "A bundle without an olm.package property"
        "add an olm.package property with packageName and version"
        [NeedsImages];
    REPEATED_PACKAGE_PROPERTY: "repeated-package-property" Error opm Package(bundle::repeated_package_property)
        "A bundle with several olm.package properties"
        "keep one of them";
    WRONG_PACKAGE_NAME: "wrong-package-name" Error opm Package(bundle::wrong_package_name)
        "A bundle whose olm.package property names another package"
        "use the name of the bundle's package"
        [OnlyFileBased];
    BAD_VERSION: "bad-version" Error opm Package(bundle::bad_version)
        "A bundle version that is not valid SemVer"
        "write three numbers, no leading zeros, no v: 1.2.3"
        [OnlyFileBased];
    BAD_RELEASE: "bad-release" Error opm Package(bundle::bad_release)
        "A bundle release that is not valid"
        "at most 20 characters: letters, digits and hyphens between dots, numbers without leading zeros"
        [OnlyFileBased];
    BAD_BUNDLE_NAME: "bad-bundle-name" Error opm Package(bundle::bad_bundle_name)
        "A bundle with a release whose name is not <package>-v<version>-<release>"
        "name it <package>-v<version>-<release>, here and in its entries"
        [OnlyFileBased];
    DUPLICATE_VERSION: "duplicate-version" Error opm Package(bundle::duplicate_version)
        "Two bundles of a package with the same version"
        "give each its own version or release"
        [OnlyFileBased];
    MISSING_IMAGE: "missing-image" Error opm Package(bundle::missing_image)
        "A bundle with neither image nor objects"
        "name the bundle image with `image:`"
        [NeedsImages];
    BAD_IMAGE: "bad-image" Error opm Package(bundle::bad_image)
        "A bundle image that is not an image reference"
        "write registry/repository:tag or registry/repository@digest"
        [OnlyFileBased];
    BAD_RELATED_IMAGE: "bad-related-image" Error opm Package(bundle::bad_related_image)
        "A related image that is not an image reference"
        "write registry/repository:tag or registry/repository@digest"
        [OnlyFileBased];

    // Deprecations.
    REPEATED_DEPRECATIONS: "repeated-deprecations" Error opm Package(deprecation::repeated_deprecations)
        "A package with several olm.deprecations"
        "merge their entries into one";
    BAD_DEPRECATION_SCHEMA: "bad-deprecation-schema" Error opm Package(deprecation::bad_schema)
        "A deprecation of something that cannot be deprecated"
        "reference.schema is olm.package, olm.channel or olm.bundle";
    DEPRECATION_NAMES_PACKAGE: "deprecation-names-package" Error opm Package(deprecation::names_package)
        "A package deprecation with a name"
        "remove the name: the schema alone means the package";
    UNKNOWN_DEPRECATION_TARGET: "unknown-deprecation-target" Error opm Package(deprecation::unknown_target)
        "A deprecation of a channel or bundle that does not exist"
        "correct the name, or remove the deprecation";
    DUPLICATE_DEPRECATION: "duplicate-deprecation" Error opm Package(deprecation::duplicate)
        "Something deprecated twice"
        "keep one of them";
    MISSING_DEPRECATION_MESSAGE: "missing-deprecation-message" Error opm Package(deprecation::missing_message)
        "A deprecation without a message"
        "tell users what to do instead";

    // Problems that opm accepts. First, misspelled names and keys.
    UNKNOWN_KEY: "unknown-key" Warning ours Package(entry::unknown_key)
        "An entry key that OLM does not know"
        "an entry has name, replaces, skips and skipRange; OLM silently ignores others";
    MISSPELT_KEY: "misspelt-key" Warning ours Problem(loading::misspelled_key)
        "A key that looks like a typo of a known one"
        "correct it: OLM silently ignores unknown keys";
    REPLACES_NOTHING: "replaces-nothing" Warning ours Package(entry::replaces_nothing)
        "A replaces or skips that looks like a typo of an entry's name"
        "correct the name";
    VERSION_NOT_IN_NAME: "version-not-in-name" Warning ours Package(bundle::version_not_in_name)
        "A bundle whose name says another version than its property"
        "name the bundle after its version, or correct the version";
    MAX_OPENSHIFT_VERSION: "max-openshift-version" Warning ours Package(readiness::max_openshift_version)
        "An olm.maxOpenShiftVersion that is not major.minor, or below the OpenShift version of its catalog"
        "write a quoted major.minor, such as \"4.20\""
        [NeedsHeads];
    EMPTY_RELATED_IMAGE: "empty-related-image" Warning ours Package(bundle::empty_related_image)
        "A related image without an image"
        "name the image, or remove the item: a mirror cannot copy it"
        [OncePerPackage];
    EMPTY_PROPERTY: "empty-property" Note ours Package(bundle::empty_property)
        "A property without a type, or with the value null"
        "write type and value, or remove the property"
        [OncePerPackage];
    RESERVED_SCHEMA: "reserved-schema" Warning ours Package(schemas::reserved_schema)
        "A schema or property type that begins with olm. and that OLM does not know"
        "begin a name of your own with your domain: example.com.notes"
        [OncePerName];
    EMPTY_PACKAGE: "empty-package" Note ours Problem(loading::empty_package)
        "A custom object with an empty package"
        "name the package, or remove the key if the object belongs to no package";
    SCHEMA_WITHOUT_DOMAIN: "schema-without-domain" Note ours Package(schemas::schema_without_domain)
        "A custom schema without a domain"
        "begin the name with your domain: example.com.notes"
        [OncePerName];

    // Ranges.
    RANGE_CRASHES_OLM: "range-crashes-olm" Error ours Package(ranges::crashes)
        "A range that crashes OLM"
        "remove the empty alternative beside `||`";
    RANGE_ODDITY: "range-oddity" Warning ours Package(ranges::oddity)
        "A range that OLM reads differently than it looks"
        "write comparators with full versions";
    RANGE_MATCHES_NOTHING: "range-matches-nothing" Warning ours Package(ranges::matches_nothing)
        "A range that matches no version"
        "correct its bounds";
    RANGE_UNBOUNDED: "range-unbounded" Note ours Package(ranges::unbounded)
        "A skipRange without an upper bound"
        "end it below the entry's own version: '>=1.0.0 <1.2.0'";
    RANGE_MATCHES_SELF: "range-matches-self" Note ours Package(ranges::matches_self)
        "A skipRange that includes the entry's own version"
        "end it below the entry's own version";
    BAD_REQUIRED_RANGE: "bad-required-range" Warning ours Package(ranges::bad_required_range)
        "A required package with a range that OLM cannot read"
        "write comparators with full versions, separated by spaces: '>=1.0.0 <2.0.0'";

    // Upgrades.
    STUCK: "stuck" Warning ours Package(stuck::stuck)
        "Versions without an upgrade path to the head of the default channel"
        "let an entry that leads to the head upgrade from the version at which they end"
        [FormerId("no-way-to-default-channel"), NeedsAllChannels, NeedsDefaultChannel,
         FixedBySearch, ShownInGraph];
    DEAD_END: "dead-end" Warning ours Package(stuck::dead_end)
        "Entries that can never upgrade on OLM Classic although the head is higher"
        "make the head, or the entry that skips their upgrade, skip them too"
        [OncePerChannel, NeedsOwnChannel, FixedBySearch, ShownInGraph];
    V1_ESCAPE: "v1-escape" Warning ours Package(upgrades::v1_escape)
        "Entries of the default channel that OLM v1 upgrades to a bundle outside it"
        "limit the skipRange of the target, or tell v1 users to set a channel"
        [OncePerPackage, NeedsV1Resolver, NeedsDefaultChannel];
    DOWNGRADE_BY_RANGE: "downgrade-by-range" Warning ours Package(upgrades::downgrade_by_range)
        "A skipRange through which OLM Classic downgrades users"
        "end the skipRange below the entry's own version"
        [NeedsOwnChannel];
    REBUILD_BELOW: "rebuild-below" Warning ours Package(upgrades::rebuild_below)
        "A rebuild versioned as a pre-release, which is lower than the original"
        "version a rebuild with +build metadata or a release, not with a hyphen"
        [NeedsOwnChannel];
    DOWNGRADE_EDGE: "downgrade-edge" Note ours Package(upgrades::downgrade_edge)
        "An upgrade to a lower version"
        "OLM Classic follows it; v1 stays on the higher version"
        [NeedsOwnChannel, ShownInGraph];
    SKIPPED_RANGE: "skipped-range" Note ours Package(skipped_ranges::skipped_range)
        "Skipped entries with a skipRange that includes versions which no other entry upgrades"
        "let the skipRange of an entry that is not skipped include these versions"
        [OncePerChannel, NeedsOwnChannel];

    // Deprecations with further effects.
    DEPRECATED_HEAD: "deprecated-head" Warning ours Package(upgrades::deprecated_head)
        "A channel that is not deprecated, but its head is"
        "deprecate the channel too, or give it a new head"
        [NeedsHeads, NeedsSupportedPackage];
    DEPRECATED_DEFAULT_CHANNEL: "deprecated-default-channel" Warning ours Package(package::deprecated_default_channel)
        "A default channel that is deprecated"
        "make a supported channel the default"
        [OncePerPackage, NeedsSupportedPackage];
    DEPRECATION_STOPS_V1: "deprecation-stops-v1" Warning ours Package(stuck::deprecation_stops_v1)
        "Versions that OLM v1 does not upgrade because their upgrades are deprecated"
        "deprecate them too, or add an upgrade to a supported bundle"
        [OncePerPackage, NeedsV1Resolver];

    NO_UNDEPRECATED_WAY_OUT: "no-undeprecated-way-out" Warning ours Package(way_out::no_undeprecated_way_out)
        "Deprecated bundles without an upgrade path to a supported bundle"
        "make a supported bundle replace or skip them, or include them in its skipRange"
        [OncePerPackage, NeedsAllChannels];

    // Possibly intended, but noteworthy.
    OLDER_DEFAULT_CHANNEL: "older-default-channel" Note ours Package(package::older_default_channel)
        "A default channel whose head is older than that of another stable channel"
        "make the newer channel the default, or deprecate it if it is not for users"
        [OncePerPackage, NeedsHeads, NeedsDefaultChannel, NeedsSupportedPackage];
    BUNDLE_OBJECT: "bundle-object" Note ours Package(packaging::bundle_object)
        "Bundles with olm.bundle.object where OpenShift 4.17 and later use olm.csv.metadata"
        "run opm render --migrate-level=bundle-object-to-csv-metadata";
    IMAGE_BY_TAG: "image-by-tag" Note ours Package(packaging::image_by_tag)
        "A head with an image tag where all other bundles use a digest"
        "use a digest: a tag can move to another image"
        [NeedsHeads];

    // Requirements of bundles.
    UNMET_DEPENDENCY: "unmet-dependency" Note ours Package(dependencies::unmet)
        "APIs and packages that are required, and that nothing in the catalog provides"
        "add a provider, or make sure that another catalog of the cluster has one"
        [OncePerName, NeedsImages, OnOtherPackages];
    OUTDATED_DEPENDENCY: "outdated-dependency" Note ours Package(dependencies::outdated_requirements)
        "APIs and packages that heads require, and that only older bundles provide"
        "provide it in a head again, or release a bundle that does without it"
        [OncePerName, NeedsHeads, NeedsImages, OnOtherPackages];

    // Constraints that stop OLM Classic's resolution.
    CONSTRAINT_INVALID: "constraint-invalid" Warning ours Package(dependencies::constraint_invalid)
        "An olm.constraint or olm.label.required that OLM cannot read"
        "write one of gvk, package, all, any, not and cel, with the fields that OLM knows";
    CEL_INVALID: "cel-invalid" Warning ours Package(dependencies::cel_invalid)
        "A CEL rule of an olm.constraint that does not compile"
        "olmap cel RULE says whether a rule compiles";
    GVK_TWICE: "gvk-twice" Warning ours Package(dependencies::duplicate_gvk)
        "A bundle that lists an API twice, so that OLM Classic can never install it"
        "remove one of the two olm.gvk properties";
    BAD_GVK: "bad-gvk" Warning ours Package(dependencies::bad_gvk)
        "A provided or required API whose name Kubernetes does not accept"
        "write group, version and kind as in the CustomResourceDefinition"
        [OncePerName, NeedsImages];

    // Results of OLM Classic's dependency resolution for a package in an empty namespace.
    DEPENDENCY_UNSATISFIABLE: "dependency-unsatisfiable" Warning ours Package(resolution::unsatisfiable)
        "Channels from which OLM Classic cannot install anything, because of dependencies"
        "add what is missing, or open the catalog that has it too"
        [OncePerPackage, NeedsResolution, OnPublishedBundles, OnOtherPackages, BrokenDependency];
    DEPENDENCY_HEAD_UNSATISFIABLE: "dependency-head-unsatisfiable" Warning ours Package(resolution::head_unsatisfiable)
        "Heads that OLM Classic never installs, because of their dependencies"
        "add what the head needs, or widen its range"
        [OncePerPackage, NeedsResolution, OnOtherPackages, BrokenDependency];
    DEPENDENCY_ONLY_ELSEWHERE: "dependency-only-elsewhere" Note ours Package(resolution::only_elsewhere)
        "Heads that need something from another open catalog"
        "make sure that clusters with this catalog have the other one, too"
        [OncePerPackage, NeedsResolution, OnOtherPackages];
    DEPENDENCY_CIRCLE: "dependency-circle" Note ours Package(resolution::dependency_cycle)
        "Bundles that need each other"
        "OLM Classic installs them together; none of them can be installed or removed alone"
        [OncePerPackage, NeedsResolution, OnOtherPackages];
    RESOLUTION_UNSTABLE: "resolution-unstable" Warning ours Package(resolution::unstable)
        "Channels for which OLM Classic may install one thing today and another tomorrow"
        "narrow the ranges of dependencies, so that only one way is left"
        [OncePerPackage, NeedsResolution, OnOtherPackages];

    // Unreadable input and undecided questions.
    NOT_CHECKED: "not-checked" Error ours Package(unchecked::undecided)
        "Something that olmap was given and could not read or decide"
        "make it readable; what depends on it was not checked";

    // Properties that prevent an installation by OLM v1.
    V1_DEPENDENCIES: "v1-dependencies" Note ours Package(readiness::dependencies)
        "Heads that OLM v1 refuses because of their dependencies"
        "to support OLM v1, release a bundle without dependencies, and document what it needs"
        [OncePerPackage, NeedsHeads, OnPublishedBundles, OnOtherPackages];
    V1_NO_ALL_NAMESPACES: "v1-no-all-namespaces" Note ours Package(readiness::no_all_namespaces)
        "Heads that OLM v1 refuses because they do not support AllNamespaces"
        "to support OLM v1, set AllNamespaces to supported: true in spec.installModes of the next release"
        [OncePerPackage, NeedsHeads, OnPublishedBundles];
    V1_CHANNEL_NAME: "v1-channel-name" Note ours Package(readiness::channel_name)
        "A channel name that OLM v1 does not accept"
        "use lower case letters, digits, inner hyphens and dots";
}
