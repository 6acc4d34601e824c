//! Handing the terminal to another program.

use super::Enabled;
use crate::app::{model::Model, msg::Effect};

pub fn suspend(_: &mut Model) -> Vec<Effect> {
    vec![Effect::Suspend]
}

pub fn has_spot(model: &Model) -> Enabled {
    model.spot().map(|_| ())
}

pub fn open_editor(model: &mut Model) -> Vec<Effect> {
    model.spot().map(|spot| Effect::OpenEditor { spot }).into_iter().collect()
}
