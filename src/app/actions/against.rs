//! Comparing.

use crate::app::keys::spec::Enabled;
use crate::app::screens::graph::folds as picture;
use crate::app::work::Opening;
use crate::app::{
    keys::Screen,
    parts::list::ListId,
    screens::{news as walk, news::Way},
    session::{against, place::Pane},
    shell::model::Model,
    work::{Effect, Source, difference::To},
};

pub fn can_compare(model: &Model) -> Enabled {
    super::has_catalog(model)?;
    if model.session.is_growing() {
        return Err("the files are being read".to_owned());
    }
    if model.session.unread().is_some() {
        return Err("only a part of this catalog was read".to_owned());
    }
    Ok(())
}

/// Opens the choice. Whether the catalog is in a repository is asked each time: one may be made meanwhile.
pub fn compare_with(model: &mut Model) -> Vec<Effect> {
    model.open(Opening::Against);
    match model.session.catalog().map(|open| &open.source) {
        Some(Source::Path(path)) => {
            vec![Effect::FindRepository { catalog: model.session.current, path: path.clone() }]
        }
        _ => Vec::new(),
    }
}

pub fn compares(model: &Model) -> Enabled {
    let is_asked = model.session.catalog().is_some_and(|open| open.comparing.asked().is_some());
    if model.session.base().is_some() || is_asked {
        Ok(())
    } else {
        Err("nothing is compared now".to_owned())
    }
}

pub fn stop_comparing(model: &mut Model) -> Vec<Effect> {
    model.with(|cx| against::choose(cx, None))
}

/// Whether there is something that `{` and `}` go to on this screen.
pub fn has_news(model: &Model) -> Enabled {
    if model.session.comparison().is_some() || model.session.what_if().is_some() {
        return Ok(());
    }
    if compares(model).is_ok() {
        return Err("what differs is being worked out".to_owned());
    }
    if model.session.screen == Screen::Graph {
        return super::has_layout(model);
    }
    let key = model.key(crate::app::keys::ActionId::CompareWith);
    Err(format!("nothing is compared: {key} chooses with what"))
}

pub fn next_news(model: &mut Model) -> Vec<Effect> {
    news(model, Way::Down)
}

pub fn previous_news(model: &mut Model) -> Vec<Effect> {
    news(model, Way::Up)
}

fn news(model: &mut Model, way: Way) -> Vec<Effect> {
    if model.session.comparison().is_none() && model.session.what_if().is_none() {
        picture::go_to_news(model, way);
    } else if !walk::go(model, way) {
        let words = match way {
            Way::Down => "nothing differs from here on down",
            Way::Up => "nothing differs from here on up",
        };
        model.notices.refused(words);
    }
    Vec::new()
}

/// Goes to what the selected row of a comparison is about, as far as that is still there.
pub(in crate::app) fn go_to_difference(model: &mut Model) {
    let row = model.cursor(ListId::Differences).and_then(|row| model.difference(row));
    let Some(To { package, channel, bundle, screen }) = row.map(|row| row.to.clone()) else { return };
    let Some(name) = package else {
        model.notices.refused("this belongs to no package");
        return;
    };
    let Some(judged) = model.session.snapshot().and_then(|now| now.package(name.as_str())).cloned() else {
        model.notices.refused(format!("{name} is gone: it is only in what one compares with"));
        return;
    };
    let package = judged.package();
    let kept = channel.clone().filter(|channel| package.channel(channel.as_str()).is_some());
    let is_there = |bundle: &crate::catalog::BundleName| match &kept {
        Some(channel) if screen != Screen::Upgrades => {
            let upgrades = judged.graph.channel(channel.as_str());
            upgrades.is_some_and(|upgrades| upgrades.graph.find(bundle.as_str()).is_some())
        }
        _ => package.bundle(bundle.as_str()).is_some(),
    };
    let found = bundle.clone().filter(is_there);
    let gone = match (&channel, &bundle) {
        (_, Some(bundle)) if found.is_none() => Some(bundle.to_string()),
        (Some(channel), _) if kept.is_none() => Some(format!("channel {channel}")),
        _ => None,
    };
    let pane = match (&kept, &found) {
        (_, Some(_)) => Pane::Entries,
        (Some(_), None) => Pane::Channels,
        (None, None) => Pane::Packages,
    };
    let screen = if gone.is_some() && screen == Screen::Upgrades { Screen::Catalog } else { screen };
    model.jump(|model| {
        model.session.show(name, kept, found, pane);
        model.session.screen = screen;
        if screen == Screen::Graph {
            model.draw_graph(crate::app::screens::graph::view::GraphMode::Channel);
        }
    });
    if let Some(gone) = gone {
        model.notices.done(format!("{gone} is gone; this is where it was"));
    }
}
