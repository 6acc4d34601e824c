//! The Graph screen.

use super::{ActionId, ActionSpec, Context::On, Screen, run, spec};

pub(super) static GRAPH: &[ActionSpec] = &[
    spec(
        ActionId::FollowOlder,
        On(&[Screen::Graph]),
        &["J"],
        "older",
        "Follow the edge to what this one replaces, skips or covers",
        run::follow_older,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::FollowNewer,
        On(&[Screen::Graph]),
        &["K"],
        "newer",
        "Follow the edge to what replaces, skips or covers this one",
        run::follow_newer,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::JumpClassic,
        On(&[Screen::Graph]),
        &["c"],
        "Classic pick",
        "Jump to what OLM Classic would pick for this one",
        run::jump_classic,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::JumpV1,
        On(&[Screen::Graph]),
        &["v"],
        "v1 pick",
        "Jump to what OLM v1 would pick for this one",
        run::jump_v1,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::Zoom,
        On(&[Screen::Graph]),
        &["z"],
        "zoom",
        "Zoom in on what is two hops around it, or back out",
        run::zoom,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::ZoomOlder,
        On(&[Screen::Graph]),
        &["left", "h"],
        "left",
        "Go left in the zoom; else go out",
        run::zoom_older,
    ),
    spec(
        ActionId::ZoomNewer,
        On(&[Screen::Graph]),
        &["right", "l"],
        "right",
        "Go right in the zoom; else go in",
        run::zoom_newer,
    ),
];
