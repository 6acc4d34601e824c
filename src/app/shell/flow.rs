//! Carrying out what rooms want.

use crate::app::{
    shell::model::Model,
    work::{Effect, Flow},
};

/// Carries out what is wanted, in its order.
pub(in crate::app) fn carry_out(model: &mut Model, then: Vec<Flow>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for flow in then {
        match flow {
            Flow::Do(effect) => effects.push(effect),
            Flow::Open(opening) => model.open(opening),
            Flow::Go(_)
            | Flow::Run(_)
            | Flow::Keep(..)
            | Flow::Select(_)
            | Flow::Answer(_)
            | Flow::Reply(_) => {}
        }
    }
    effects
}
