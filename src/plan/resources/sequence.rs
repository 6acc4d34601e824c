//! The resources of several stops, one after the other.

use super::{Choices, Known, Refused, Remark, Resources, Stop, classic, resources, v1};
use crate::{catalog::Node, upgrade::Engine};

/// What is to be done for a stop.
#[derive(Debug)]
pub struct Step {
    /// The stop.
    pub stop: Stop,
    /// What is to be done, in a sentence.
    pub words: String,
    /// What is applied; nothing where approving is all there is to do.
    pub objects: Vec<Node<'static>>,
    /// What somebody should know before.
    pub remarks: Vec<Remark>,
}

/// The steps of some stops, each after the one before. `is_installed`: the first is what the cluster has already, and only
/// those after it need something. Stops of several packages may be mixed.
///
/// # Errors
///
/// The first stop for which there are no resources.
pub fn sequence<'k>(
    stops: &[Stop],
    is_installed: bool,
    known: impl Fn(&Stop) -> Option<Known<'k>>,
    choices: impl Fn(&Stop) -> Choices,
) -> Result<Vec<Step>, Refused> {
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
            (_, None) => (format!("install {}", stop.bundle), resources(stop, known, &choices)?),
            (Engine::V1, Some(_)) => {
                let (extension, remarks) = v1::extension(stop, &choices)?;
                (format!("upgrade to {}", stop.bundle), Resources { objects: vec![extension], remarks })
            }
            (Engine::Classic, Some(before)) => {
                let is_same = before.channel == stop.channel;
                let (mut objects, remarks) = (Vec::new(), Vec::new());
                if !is_same {
                    let channel = classic::channel(stop, known)?;
                    objects.push(classic::subscription(stop, &channel, &choices)?);
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
        steps.push(Step { stop: stop.clone(), words, objects, remarks });
    }
    Ok(steps)
}
