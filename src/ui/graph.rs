//! Screen 2: the upgrade graph of a channel.

use ratatui::layout::Rect;

use super::canvas::Canvas;
use crate::app::Model;

/// Draws the screen.
pub fn draw(_model: &Model, _canvas: &mut Canvas<'_>, _area: Rect) {}
