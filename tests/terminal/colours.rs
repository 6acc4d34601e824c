//! Colors: chosen by the user, or adapted to the background of the terminal.

use super::pty::{Terminal, write_catalog};

/// Returns the foreground and background color of the top left cell.
fn corner_colors(screen: &vt100::Screen) -> (vt100::Color, vt100::Color) {
    screen.cell(0, 1).map(|cell| (cell.fgcolor(), cell.bgcolor())).unwrap()
}

#[test]
fn background_query_does_not_lose_or_add_keys() {
    const LIGHT: vt100::Color = vt100::Color::Rgb(0xfa, 0xfa, 0xfa);
    const DARK: vt100::Color = vt100::Color::Rgb(0x14, 0x17, 0x1c);
    for (answer, background) in
        [("\x1b]11;rgb:ffff/ffff/ffff\x07", LIGHT), ("\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\", DARK)]
    {
        let (folder, _) = write_catalog();
        let mut terminal = Terminal::start_olmap_with(|command| {
            command.args(["--theme", "auto"]);
            command.arg(folder.path());
            command.env("COLORTERM", "truecolor");
        });
        terminal.wait_for_text("Entries 2");
        assert!(String::from_utf8_lossy(&terminal.written).contains("\x1b]11;?"), "it asks");
        // The answer arrives late, between keys: the finder opens before it and gets the keys after
        // it.
        terminal.press_keys(&format!("\x10sh{answer}ip"));
        terminal.wait_for_text("Find anything");
        terminal.wait_until("the background", |screen| corner_colors(screen).1 == background);
        terminal.wait_for_text(" ship ");
        let typed = terminal.parser.screen().contents();
        assert!(!typed.contains("rgb") && !typed.contains("]11"), "{typed}");
        terminal.press_keys("\x1b");
        terminal.wait_until("no finder", |screen| !screen.contents().contains("Find anything"));
        terminal.press_keys("\x03");
        assert_eq!(terminal.wait_for_exit(), 0);
        terminal.assert_given_back();
    }
}

#[test]
fn colors_follow_the_settings_of_the_user() {
    let cases: [(&str, &[&str], bool); 4] = [
        ("", &["--theme", "dark"], true),
        ("1", &["--theme", "dark"], false),
        ("1", &["--color", "always", "--theme", "dark"], true),
        ("", &["--color", "never", "--theme", "dark"], false),
    ];
    for (no_color, arguments, coloured) in cases {
        let (folder, _) = write_catalog();
        let mut terminal = Terminal::start_olmap_with(|command| {
            command.args(arguments);
            command.arg(folder.path());
            command.env("NO_COLOR", no_color);
        });
        terminal.wait_for_text("Entries 2");
        let screen = terminal.parser.screen();
        let cells = (0..30).flat_map(|y| (0..100).filter_map(move |x| screen.cell(y, x)));
        let plain = (vt100::Color::Default, vt100::Color::Default);
        let found = cells.filter(|cell| (cell.fgcolor(), cell.bgcolor()) != plain).count();
        assert_eq!(found > 0, coloured, "NO_COLOR={no_color} {arguments:?}");
        let asks = String::from_utf8_lossy(&terminal.written).contains("\x1b]11;?");
        assert_eq!(asks, coloured, "who sees no colours needs no background");
        terminal.press_keys("\x03");
        assert_eq!(terminal.wait_for_exit(), 0);
    }
}
