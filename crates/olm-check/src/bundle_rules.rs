//! Second half of the table of rules: rules about bundle directories and about upgrade steps.

use super::{
    bundles::{
        VerdictProgram, annotations, crds, csv_fields, examples, images, labels, manifests, needs,
        operator_conditions, webhooks,
    },
    rule::{Check, Rule, RuleProperty, Severity},
    steps,
    table::rules,
};

rules! {
    OF_BUNDLES:
    // Bundle directories: rules that opm and OLM do not have.
    LOST_OBJECT: "lost-object" Error ours Bundle(manifests::lost_object)
        "An object that is lost: below a comment, or after the first document"
        "remove the `---` below the comment";
    TAG_IN_DISCONNECTED: "tag-in-disconnected" Warning ours Bundle(images::tag_in_disconnected)
        "An image by tag in a bundle that claims to work disconnected"
        "name the image by its digest, or drop the claim";
    UNLISTED_IMAGE: "unlisted-image" Warning ours Bundle(images::unlisted_image)
        "An image in env or args that relatedImages does not list"
        "add it to spec.relatedImages";
    STORED_NOT_SERVED: "stored-not-served" Warning ours Bundle(crds::stored_not_served)
        "An owned CRD whose stored version is not served"
        "serve the version, or store one that is served";
    EXAMPLE_SCHEMA: "example-schema" Warning ours Bundle(examples::example_schema)
        "An example that does not fit the schema of its CRD"
        "correct the example in alm-examples";
    DESCRIPTOR_PATH: "descriptor-path" Warning ours Bundle(crds::descriptor_path)
        "A descriptor of a field that is not in the schema"
        "correct the path; it begins below spec or status";
    LOW_MIN_KUBE_VERSION: "low-min-kube-version" Warning ours Bundle(needs::min_kube_version)
        "A minKubeVersion below what the bundle needs"
        "raise minKubeVersion";
    UNUSED_PERMISSIONS: "unused-permissions" Note ours Bundle(needs::unused_permissions)
        "Permissions of a service account that no deployment runs as"
        "remove them, unless the operator runs something as it";
    OPERATOR_CONDITION: "operator-condition" Note ours Bundle(operator_conditions::condition_permissions)
        "Permissions for operator conditions"
        "remove them; OLM Classic grants each operator its own OperatorCondition";
    UNREAD_LABEL: "unread-label" Warning ours Bundle(labels::unread_label)
        "A label, annotation or field that nothing reads"
        "remove it, or correct its name";
    DOCKERFILE_LABELS: "dockerfile-labels" Warning ours Bundle(labels::dockerfile_labels)
        "A label of bundle.Dockerfile or of the image that differs from its annotation"
        "make them the same; clusters see the annotation";
    WEBHOOK_DEFINITION: "webhook-definition" Error ours Bundle(webhooks::definitions)
        "A webhook that OLM Classic cannot set up"
        "correct it in spec.webhookdefinitions"
        [ClassicWebhook];
    CONVERSION_WEBHOOK: "conversion-webhook" Error ours Bundle(webhooks::conversions)
        "A conversion webhook that OLM Classic rejects"
        "support AllNamespaces alone, and give each owned CRD one conversion webhook"
        [ClassicWebhook];
    API_SERVICE: "api-service" Error ours Bundle(webhooks::api_services)
        "An API service that OLM Classic cannot set up"
        "correct it in spec.apiservicedefinitions.owned"
        [ClassicWebhook];
    OPENSHIFT_VERSIONS: "openshift-versions" Warning ours Bundle(labels::openshift_versions)
        "OpenShift versions that cannot be read, or that no open catalog is for"
        "write v4.12 (and later), =v4.12 (alone) or v4.12-v4.15";

    FOLDER_ANNOTATION: "folder-annotation" Warning ours Bundle(labels::folder_annotation)
        "An annotation that names another directory than the bundle has"
        "write manifests/ and metadata/";
    DEFAULT_NOT_LISTED: "default-not-listed" Warning ours Bundle(labels::default_channel_listed)
        "A default channel that the bundle is not in"
        "correct it, unless an earlier bundle of the package has the channel";

    // Bundle directories: what users see of an operator in consoles.
    INFRASTRUCTURE_FEATURES: "infrastructure-features" Warning ours Bundle(annotations::infrastructure_features)
        "A feature that consoles do not read"
        "write a JSON list such as [\"disconnected\", \"proxy-aware\"]";
    SUGGESTED_NAMESPACE: "suggested-namespace" Warning ours Bundle(annotations::suggested_namespace)
        "A suggested namespace that a cluster cannot have"
        "use at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends";
    INTERNAL_OBJECTS: "internal-objects" Warning ours Bundle(annotations::internal_objects)
        "An internal object that is not a CRD of the bundle"
        "write a JSON list with the names of CRDs";
    VALID_SUBSCRIPTION: "valid-subscription" Warning ours Bundle(annotations::valid_subscription)
        "A list of subscriptions that consoles cannot read"
        "write a JSON list of strings";
    INITIALIZATION_RESOURCE: "initialization-resource" Warning ours Bundle(examples::initialization_resource)
        "An initialization resource that cannot be created"
        "write the JSON of one object that the operator owns";
    MISSING_CSV_FIELD: "missing-csv-field" Warning ours Bundle(csv_fields::required_fields)
        "Required fields of the ClusterServiceVersion that are missing"
        "add them to the ClusterServiceVersion";
    CAPABILITY_LEVEL: "capability-level" Warning ours Bundle(csv_fields::capability_level)
        "A capability level that does not exist"
        "write Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot";
    MATURITY_LEVEL: "maturity-level" Note ours Bundle(csv_fields::maturity_level)
        "A maturity that does not exist"
        "write planning, pre-alpha, alpha, beta, stable, mature, inactive or deprecated";
    API_DESCRIPTION: "api-description" Note ours Bundle(csv_fields::api_descriptions)
        "An API without a display name or a description"
        "add displayName and description; consoles show them to users";
    WEBHOOK_CONFIGURATIONS: "webhook-configurations" Warning ours Bundle(webhooks::calls_for_configurations)
        "A webhook for the configurations of webhooks"
        "remove the resource from the rules of the webhook";

    // Upgrade steps between bundles whose manifests are available.
    CRD_UPGRADE_UNSAFE_V1: "crd-upgrade-unsafe-v1" Warning ours Step(steps::crd_changes_refused_by_v1)
        "An upgrade that OLM v1 refuses because of a CRD"
        "olmap crds diff OLD NEW tells what to do"
        [ShownInGraph];
    CRD_STORED_VERSION_REMOVED: "crd-stored-version-removed" Warning ours Step(steps::stored_version_removed)
        "An upgrade that removes a CRD version in which objects may be stored"
        "keep the version with served: false until its objects are migrated"
        [ShownInGraph];
    CRD_SERVED_VERSION_REMOVED: "crd-served-version-removed" Warning ours Step(steps::served_version_removed)
        "An upgrade that removes a CRD version that was served until then"
        "keep the version with served: false for a release, and remove it in a later one"
        [ShownInGraph];
    UPGRADE_REFUSED: "upgrade-refused" Warning ours Step(steps::refusal_causes)
        "An upgrade that OLM refuses because of an object"
        "olmap bundle diff OLD NEW names the object, the field and what to do";
    CONVERSION_WITHOUT_WEBHOOK: "conversion-without-webhook" Error ours Step(steps::conversion_without_webhook)
        "An upgrade to a CRD with a conversion webhook that is not installed"
        "remove spec.conversion from the CRD, or add a ConversionWebhook to the ClusterServiceVersion";
    PERMISSIONS_GROW: "permissions-grow" Note ours Step(steps::permissions_grow)
        "An upgrade after which the operator may do more than before"
        "tell its users why";

    // Verdicts of other programs on a bundle directory: suites, OLM Classic, OLM v1.
    SUITE_LOAD: "suite-load" Error ours Verdict(VerdictProgram::Suite, "load")
        "A bundle that the api library cannot load"
        "correct the file; until then no suite but format and content says anything";
    SUITE_FORMAT: "suite-format" Error ours Verdict(VerdictProgram::Suite, "format")
        "What opm rejects in metadata/"
        "correct the annotation or dependency; the six labels of a bundle image are the same";
    SUITE_CONTENT: "suite-content" Error ours Verdict(VerdictProgram::Suite, "content")
        "What opm rejects in manifests/"
        "correct the object, or move the file out of manifests/";
    SUITE_CSV: "suite-csv" Error ours Verdict(VerdictProgram::Suite, "csv")
        "Findings of the suite csv about the ClusterServiceVersion"
        "correct the ClusterServiceVersion";
    SUITE_CRD: "suite-crd" Error ours Verdict(VerdictProgram::Suite, "crd")
        "What Kubernetes rejects in a CRD"
        "correct the CRD: the API server refuses it as it is";
    SUITE_BUNDLE: "suite-bundle" Error ours Verdict(VerdictProgram::Suite, "bundle")
        "Findings of the suite bundle about the parts together"
        "make ClusterServiceVersion and manifests agree";
    SUITE_OPERATORHUB: "suite-operatorhub" Error ours Verdict(VerdictProgram::Suite, "operatorhub")
        "What OperatorHub rejects, in its old form"
        "correct it where the operator is to be on OperatorHub";
    SUITE_OPERATORHUBV2: "suite-operatorhubv2" Error ours Verdict(VerdictProgram::Suite, "operatorhubv2")
        "What OperatorHub rejects"
        "correct it where the operator is to be on OperatorHub";
    SUITE_STANDARDCAPABILITIES: "suite-standardcapabilities" Error ours Verdict(VerdictProgram::Suite, "standardcapabilities")
        "A capability level that is none of the five"
        "write Basic Install, Seamless Upgrades, Full Lifecycle, Deep Insights or Auto Pilot";
    SUITE_STANDARDCATEGORIES: "suite-standardcategories" Error ours Verdict(VerdictProgram::Suite, "standardcategories")
        "A category that is not a standard one"
        "use the standard categories, with commas between them";
    SUITE_BUNDLE_OBJECTS: "suite-bundle-objects" Error ours Verdict(VerdictProgram::Suite, "bundle-objects")
        "Objects of a bundle that endanger a cluster"
        "correct the object";
    SUITE_COMMUNITY: "suite-community" Error ours Verdict(VerdictProgram::Suite, "community")
        "What the community catalogs reject, in an old form"
        "set olm.maxOpenShiftVersion, or leave the removed APIs";
    SUITE_ALPHA_DEPRECATED_APIS: "suite-alpha-deprecated-apis" Error ours Verdict(VerdictProgram::Suite, "alpha-deprecated-apis")
        "APIs that Kubernetes has removed"
        "move to the API that took their place";
    SUITE_GOOD_PRACTICES: "suite-good-practices" Warning ours Verdict(VerdictProgram::Suite, "good-practices")
        "What the suite good-practices recommends"
        "follow it, or know why not";
    SUITE_MULTIARCH: "suite-multiarch" Error ours Verdict(VerdictProgram::Suite, "multiarch")
        "Architectures of labels, images and node affinity that differ"
        "make labels, images and node affinity name the same platforms";
    SUITE_OPENSHIFT: "suite-openshift" Error ours Verdict(VerdictProgram::Suite, "openshift")
        "Removed APIs in a bundle for OpenShift versions without them"
        "set olm.maxOpenShiftVersion, or move to the API that took their place";
    CLASSIC_LOAD: "classic-load" Error ours Verdict(VerdictProgram::Classic, "load")
        "A bundle without a ClusterServiceVersion"
        "put the ClusterServiceVersion into manifests/";
    CLASSIC_INSTALL_MODES: "classic-install-modes" Error ours Verdict(VerdictProgram::Classic, "install-modes")
        "Install modes that OLM Classic rejects"
        "list each install mode once";
    CLASSIC_WEBHOOK_RULES: "classic-webhook-rules" Error ours Verdict(VerdictProgram::Classic, "webhook-rules")
        "A webhook that OLM Classic rejects"
        "name the groups and resources that the webhook is for";
    V1_LOAD: "v1-load" Error ours Verdict(VerdictProgram::V1, "load")
        "A bundle that OLM v1 cannot load"
        "correct the file";
    V1_DEPLOYMENT_UNIQUE: "v1-deployment-unique" Error ours Verdict(VerdictProgram::V1, "deployment-unique")
        "Two deployments with one name"
        "rename one";
    V1_DEPLOYMENT_NAME: "v1-deployment-name" Error ours Verdict(VerdictProgram::V1, "deployment-name")
        "A name that no deployment can have"
        "use lower case letters, digits, `-` and `.`";
    V1_CRD_UNIQUE: "v1-crd-unique" Error ours Verdict(VerdictProgram::V1, "crd-unique")
        "Two CRDs with one name"
        "keep one";
    V1_OWNED_CRD_EXISTS: "v1-owned-crd-exists" Error ours Verdict(VerdictProgram::V1, "owned-crd-exists")
        "An owned CRD that the bundle does not have"
        "add the CRD, or do not own it";
    V1_PACKAGE_NAME: "v1-package-name" Error ours Verdict(VerdictProgram::V1, "package-name")
        "Annotations without a package"
        "set operators.operatorframework.io.bundle.package.v1 in metadata/annotations.yaml";
    V1_CONVERSION_INSTALL_MODES: "v1-conversion-install-modes" Error ours Verdict(VerdictProgram::V1, "conversion-install-modes")
        "A conversion webhook in a bundle for some namespaces"
        "support AllNamespaces alone, or leave out the webhook";
    V1_WEBHOOK_DEPLOYMENT: "v1-webhook-deployment" Error ours Verdict(VerdictProgram::V1, "webhook-deployment")
        "A webhook of a deployment that is not there"
        "name a deployment of the install strategy";
    V1_WEBHOOK_UNIQUE: "v1-webhook-unique" Error ours Verdict(VerdictProgram::V1, "webhook-unique")
        "Two webhooks with one name"
        "give each a generateName of its own";
    V1_WEBHOOK_NAME: "v1-webhook-name" Error ours Verdict(VerdictProgram::V1, "webhook-name")
        "A name that no webhook can have"
        "use lower case letters, digits, `-` and `.`";
    V1_CONVERSION_CRD_UNIQUE: "v1-conversion-crd-unique" Error ours Verdict(VerdictProgram::V1, "conversion-crd-unique")
        "A CRD with two conversion webhooks"
        "keep one";
    V1_CONVERSION_CRD_OWNED: "v1-conversion-crd-owned" Error ours Verdict(VerdictProgram::V1, "conversion-crd-owned")
        "A conversion webhook for a CRD that is not owned"
        "own the CRD, or leave it out of conversionCRDs";
    V1_WEBHOOK_RULES: "v1-webhook-rules" Error ours Verdict(VerdictProgram::V1, "webhook-rules")
        "A webhook that OLM v1 rejects"
        "name the groups and resources that the webhook is for";
    V1_OBJECT_KIND: "v1-object-kind" Error ours Verdict(VerdictProgram::V1, "object-kind")
        "An object that cannot be in a bundle"
        "make it from the operator instead";
    V1_API_SERVICES: "v1-api-services" Error ours Verdict(VerdictProgram::V1, "api-services")
        "A bundle with API services"
        "OLM v1 installs no API services; OLM Classic does";
    V1_ALL_NAMESPACES: "v1-all-namespaces" Error ours Verdict(VerdictProgram::V1, "all-namespaces")
        "A bundle without AllNamespaces"
        "support the install mode AllNamespaces";
    V1_CONVERSION_PRESERVE: "v1-conversion-preserve" Error ours Verdict(VerdictProgram::V1, "conversion-preserve")
        "A converted CRD that preserves unknown fields"
        "set preserveUnknownFields to false and give a schema";
}
