//! To other programs: copying, the editor, the shell, the terminal's own mouse.

use crate::app::keys::spec::Enabled;
use crate::{
    app::{
        actions::copy,
        keys::{ActionId, spec::Reason},
        shell::model::Model,
        work::{Effect, effect::Copied},
    },
    config::Clipboard,
};

/// Whether something may be copied at all.
fn copies(model: &Model) -> Enabled {
    match model.settings.clipboard {
        Some(Clipboard::Off) => Err("the configuration says that nothing is copied".to_owned()),
        _ => Ok(()),
    }
}

fn put(model: &mut Model, copied: Result<Copied, Reason>) -> Vec<Effect> {
    match copied {
        Ok(copied) => vec![Effect::Copy(copied)],
        Err(reason) => {
            model.notices.refused(reason);
            Vec::new()
        }
    }
}

pub fn can_suspend(model: &Model) -> Enabled {
    model.settings.no_shell.map_or(Ok(()), |reason| Err(reason.to_owned()))
}

pub fn suspend(_: &mut Model) -> Vec<Effect> {
    vec![Effect::Suspend]
}

pub fn has_spot(model: &Model) -> Enabled {
    model.spot().map(|_| ())
}

pub fn open_editor(model: &mut Model) -> Vec<Effect> {
    model.spot().map(|spot| Effect::OpenEditor { spot }).into_iter().collect()
}

pub fn can_copy_name(model: &Model) -> Enabled {
    copies(model)?;
    copy::name(model).map(|_| ())
}

pub fn copy_name(model: &mut Model) -> Vec<Effect> {
    put(model, copy::name(model))
}

pub fn can_copy_entry(model: &Model) -> Enabled {
    copies(model)?;
    copy::entry(model).map(|_| ())
}

pub fn copy_entry(model: &mut Model) -> Vec<Effect> {
    put(model, copy::entry(model))
}

pub fn can_copy_path(model: &Model) -> Enabled {
    copies(model)?;
    copy::ends(model).map(|_| ())
}

pub fn copy_path(model: &mut Model) -> Vec<Effect> {
    put(model, copy::listing(model))
}

pub fn can_copy_command(model: &Model) -> Enabled {
    copies(model)?;
    copy::can_be_asked(model)
}

pub fn copy_command(model: &mut Model) -> Vec<Effect> {
    put(model, copy::successors(model))
}

pub fn can_copy_image(model: &Model) -> Enabled {
    copies(model)?;
    copy::image(model).map(|_| ())
}

pub fn copy_image(model: &mut Model) -> Vec<Effect> {
    put(model, copy::image(model))
}

pub fn can_copy_place(model: &Model) -> Enabled {
    copies(model)?;
    copy::place(model).map(|_| ())
}

pub fn copy_place(model: &mut Model) -> Vec<Effect> {
    put(model, copy::place(model))
}

pub fn toggle_mouse(model: &mut Model) -> Vec<Effect> {
    model.frame.captures_mouse = !model.frame.captures_mouse;
    if model.frame.captures_mouse {
        model.notices.done("the mouse works here again");
    } else {
        let key = model.key(ActionId::ToggleMouse);
        model.notices.done(format!("the mouse selects text as in any terminal; {key} takes it back"));
    }
    vec![Effect::CaptureMouse(model.frame.captures_mouse)]
}
