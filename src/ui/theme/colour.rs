//! Colours, and what stands for them where a terminal has fewer.

use ratatui::style::Color;

/// An sRGB colour, as `0xRRGGBB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rgb(pub u32);

/// What the six steps of the colour cube of 256 colours are worth (xterm's `256colres.h`).
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Rgb {
    pub fn parts(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }

    /// As it is.
    pub fn exact(self) -> Color {
        let [red, green, blue] = self.parts();
        Color::Rgb(red, green, blue)
    }

    /// The nearest of the 240 colours that are the same in every terminal with 256; the first sixteen are not.
    pub fn indexed(self) -> Color {
        let distance = |index: &u8| {
            let parts = indexed(*index).parts().into_iter().zip(self.parts());
            parts.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum::<i32>()
        };
        Color::Indexed((16..=255).min_by_key(distance).unwrap_or(16))
    }
}

/// What a colour of the 240 is worth: a cube of six steps, then 24 greys. Black for the first sixteen.
pub(super) fn indexed(index: u8) -> Rgb {
    let of = |red: u8, green: u8, blue: u8| Rgb(u32::from_be_bytes([0, red, green, blue]));
    let step = |n: u8| STEPS.get(usize::from(n % 6)).copied().unwrap_or_default();
    match index {
        0..16 => Rgb(0),
        16..232 => of(step((index - 16) / 36), step((index - 16) / 6), step(index - 16)),
        232.. => {
            let grey = 8 + 10 * (index - 232);
            of(grey, grey, grey)
        }
    }
}
