//! RGB colors and their nearest equivalents in terminals with fewer colors.

use ratatui::style::Color;

/// sRGB color as `0xRRGGBB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rgb(pub u32);

/// Values of the six steps of the color cube of 256 colors (xterm's `256colres.h`).
const CUBE_STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Rgb {
    pub fn components(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }

    /// Converts to a 24-bit terminal color.
    pub fn to_true_color(self) -> Color {
        let [red, green, blue] = self.components();
        Color::Rgb(red, green, blue)
    }

    /// Returns the nearest of the 240 fixed colors. The first sixteen differ between terminals.
    pub fn to_indexed(self) -> Color {
        let distance = |index: &u8| {
            let parts = indexed_color(*index).components().into_iter().zip(self.components());
            parts.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum::<i32>()
        };
        Color::Indexed((16..=255).min_by_key(distance).unwrap_or(16))
    }
}

/// Returns the RGB value of one of the 240 fixed colors: a cube of six steps, then 24 grays.
/// Returns black for the first sixteen.
pub(super) fn indexed_color(index: u8) -> Rgb {
    let of = |red: u8, green: u8, blue: u8| Rgb(u32::from_be_bytes([0, red, green, blue]));
    let step = |n: u8| CUBE_STEPS.get(usize::from(n % 6)).copied().unwrap_or_default();
    match index {
        0..16 => Rgb(0),
        16..232 => of(step((index - 16) / 36), step((index - 16) / 6), step(index - 16)),
        232.. => {
            let grey = 8 + 10 * (index - 232);
            of(grey, grey, grey)
        }
    }
}
