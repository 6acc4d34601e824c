//! Resources that install a version from one of several catalogs of a cluster, with OLM v1.

use super::{InstallTarget, ResourceError, ResourceNote, ResourceOptions, Resources, create_resources};
use olm_upgrade::{
    Engine,
    cluster::{ClusterAnswer, ClusterPackage, ClusterQuery, ClusterResolver, LabelSelector},
};

/// Creates the resources to install a version from the catalogs of a cluster, and checks what OLM v1 installs. The
/// `ClusterExtension` gets a selector of one catalog only if OLM v1 does not install the version without it.
///
/// # Errors
///
/// Returns an error if no `ClusterExtension` can install the bundle.
pub fn create_resources_over_catalogs(
    stop: &InstallTarget,
    package: &ClusterPackage,
    choices: &ResourceOptions,
) -> Result<Resources, ResourceError> {
    let stop = InstallTarget { engine: Engine::V1, ..stop.clone() };
    let resolve = |selector: &LabelSelector| {
        let query = ClusterQuery { query: choices.request.to_query(&stop), selector: selector.clone() };
        ClusterResolver::from_query(package, &query).resolve(None)
    };
    let mut choices = choices.clone();
    let mut answer = resolve(&choices.request.selector);
    let mut notes = Vec::new();
    if choices.request.selector.selects_all() && !installs_target(&answer, &stop) {
        let alone = package.offers.iter().map(|offer| {
            let selector = LabelSelector::for_catalog(&offer.catalog.name);
            (offer, resolve(&selector), selector)
        });
        let mut possible: Vec<_> = alone.filter(|(_, answer, _)| installs_target(answer, &stop)).collect();
        possible.sort_by_key(|(offer, ..)| std::cmp::Reverse(offer.catalog.priority));
        if let Some((offer, only, selector)) = possible.first() {
            let others: Vec<&str> =
                possible.iter().skip(1).map(|(offer, ..)| offer.catalog.name.as_str()).collect();
            let others = match others.as_slice() {
                [] => String::new(),
                [other] => format!("; {other} has the bundle too"),
                others => format!("; {} have the bundle too", others.join(" and ")),
            };
            notes.push(ResourceNote {
                refuses: false,
                text: format!(
                    "the selector is needed: without it, {}. It selects {}{others}",
                    describe_other_result(&answer, &stop),
                    offer.catalog.name
                ),
            });
            choices.request.selector = selector.clone();
            answer = only.clone();
        }
    }
    let mut made = create_resources(&stop, None, &choices)?;
    notes.extend(result_notes(&answer, &stop));
    notes.append(&mut made.remarks);
    made.remarks = notes;
    Ok(made)
}

/// Returns true if OLM v1 installs the bundle of the target.
fn installs_target(answer: &ClusterAnswer, stop: &InstallTarget) -> bool {
    answer.error.is_none() && answer.pick.as_ref().is_some_and(|pick| *pick.bundle_name() == stop.bundle)
}

/// Describes a result that is not the installation of the target, as a part of a sentence.
fn describe_other_result(answer: &ClusterAnswer, stop: &InstallTarget) -> String {
    match (&answer.error, &answer.pick) {
        (None, Some(pick)) => {
            format!("OLM v1 installs {} from {}, not {}", pick.bundle_name(), pick.catalog.name, stop.bundle)
        }
        (Some(error), _) => format!("OLM v1 installs nothing: {error}"),
        (None, None) => "OLM v1 installs nothing".to_owned(),
    }
}

/// Returns the catalog of the bundle, or the reasons why OLM v1 does not install it.
fn result_notes(answer: &ClusterAnswer, stop: &InstallTarget) -> Vec<ResourceNote> {
    let refuse = |text: String| ResourceNote { refuses: true, text };
    if !installs_target(answer, stop) {
        return vec![refuse(describe_other_result(answer, stop))];
    }
    let catalog = answer.pick.as_ref().map(|pick| pick.catalog.name.as_str()).unwrap_or_default();
    let text = format!("OLM v1 installs {} from catalog {catalog}", stop.bundle);
    let blocked = answer.blocked.iter().map(|blocked| refuse(blocked.text.clone()));
    std::iter::once(ResourceNote { refuses: false, text }).chain(blocked).collect()
}
