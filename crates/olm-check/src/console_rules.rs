//! Part of the table of rules: rules about what consoles show of a catalog. `olmap validate` checks
//! them with the suite `console`.

use super::{
    console, console_comparison,
    rule::{Check, Rule, RuleProperty, Severity},
    table::rules,
};

rules! {
    OF_CONSOLES:
    // What a console reads: the ClusterServiceVersions of the heads.
    CONSOLE_NO_METADATA: "console-no-metadata" Warning ours Console(console::no_metadata)
        "Channels that consoles do not show, because their head has no ClusterServiceVersion"
        "render the bundle from its image: opm render adds the ClusterServiceVersion"
        [OncePerPackage, NeedsHeads];
    CONSOLE_BOTH_FORMS: "console-both-forms" Note ours Console(console::both_forms)
        "Bundles with olm.csv.metadata and olm.bundle.object"
        "keep olm.csv.metadata from OpenShift 4.17 on, and olm.bundle.object before"
        [OncePerPackage];
    CONSOLE_METADATA_FORM: "console-metadata-form" Warning ours Console(console::metadata_form)
        "Bundles with olm.csv.metadata in a catalog for OpenShift 4.16 or lower"
        "render the bundles without --migrate-level, so that they have olm.bundle.object"
        [OncePerPackage];
    CONSOLE_PACKAGE_PAGE: "console-package-page" Note ours Console(console::package_page)
        "A package whose page in consoles lacks an icon, a description or a name"
        "add what is missing: olm.csv.metadata has everything but the icon, which olm.package has"
        [OncePerPackage, NeedsHeads, NeedsDefaultChannel];
    CONSOLE_PRERELEASE_HEAD: "console-prerelease-head" Warning ours Console(console::prerelease_head)
        "A pre-release that consoles offer as the newest version of a channel for releases"
        "move it to a channel such as candidate, or release it"
        [OncePerChannel, NeedsHeads, NeedsSupportedPackage];
    CONSOLE_HIDDEN_PLATFORM: "console-hidden-platform" Note ours Console(console::hidden_platform)
        "A platform or feature by which consoles do not find the package"
        "make the channel the default, or add the label or annotation to the head of the default channel"
        [OncePerPackage, NeedsHeads, NeedsDefaultChannel, NeedsSupportedPackage];

    // Comparison with the other given catalogs.
    CONSOLE_DEFAULT_CHANNEL: "console-default-channel" Note ours Console(console_comparison::default_channel)
        "A default channel that differs from that of the OpenShift version before"
        "make it the same in both catalogs, unless the change is intended"
        [OncePerPackage, NeedsDefaultChannel];
    CONSOLE_OTHER_IMAGE: "console-other-image" Warning ours Console(console_comparison::other_image)
        "A bundle that has another image in another catalog"
        "use the released image in all catalogs"
        [OncePerPackage];
}
