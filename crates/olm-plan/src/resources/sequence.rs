//! The resources for a series of stops.

use super::{
    BundleInformation, InstallTarget, ResourceError, ResourceNote, ResourceOptions, Resources, classic,
    create_resources, v1,
};
use olm_catalog::Node;
use olm_upgrade::Engine;

/// Action that brings the cluster to a stop.
#[derive(Debug)]
pub struct InstallStep {
    /// The stop.
    pub stop: InstallTarget,
    /// The action as a sentence.
    pub text: String,
    /// The objects to apply. Empty if the only action is an approval.
    pub objects: Vec<Node<'static>>,
    /// The remarks to read first.
    pub remarks: Vec<ResourceNote>,
}

/// Creates the steps for a series of stops.
///
/// If `is_installed` is set, the first stop of each package is already on the cluster and does not
/// need a step. Stops of several packages can be mixed. The two functions return the information
/// about the bundle of a stop, and the options of its resources.
///
/// # Errors
///
/// Returns the error of the first stop whose resources cannot be created.
pub fn install_steps<'k>(
    stops: &[InstallTarget],
    is_installed: bool,
    known: impl Fn(&InstallTarget) -> Option<BundleInformation<'k>>,
    choices: impl Fn(&InstallTarget) -> ResourceOptions,
) -> Result<Vec<InstallStep>, ResourceError> {
    let mut steps = Vec::new();
    for (at, stop) in stops.iter().enumerate() {
        let earlier = stops.get(..at).unwrap_or_default();
        let before = earlier
            .iter()
            .rev()
            .find(|before| before.package == stop.package && before.engine == stop.engine);
        if before.is_none() && is_installed {
            continue;
        }
        let (known, choices) = (known(stop), choices(stop));
        let (words, made) = match (stop.engine, before) {
            (_, None) => (format!("install {}", stop.bundle), create_resources(stop, known, &choices)?),
            (Engine::V1, Some(_)) => {
                let (extension, remarks) = v1::extension_object(stop, &choices)?;
                (format!("upgrade to {}", stop.bundle), Resources { objects: vec![extension], remarks })
            }
            (Engine::Classic, Some(before)) => {
                let is_same = before.channel == stop.channel;
                let (mut objects, remarks) = (Vec::new(), Vec::new());
                if !is_same {
                    let channel = classic::choose_channel(stop, known)?;
                    objects.push(classic::subscription_object(stop, &channel, &choices)?);
                }
                let approve = format!("approve the InstallPlan for {}", stop.bundle);
                let words = match &stop.channel {
                    Some(channel) if !is_same && before.bundle == stop.bundle => {
                        format!("change the channel to {channel}")
                    }
                    Some(channel) if !is_same => format!("change the channel to {channel}, then {approve}"),
                    _ => approve,
                };
                (words, Resources { objects, remarks })
            }
        };
        let Resources { objects, remarks } = made;
        steps.push(InstallStep { stop: stop.clone(), text: words, objects, remarks });
    }
    Ok(steps)
}
