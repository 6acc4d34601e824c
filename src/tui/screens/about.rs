//! The About screen: version, terminal, configuration and files, for troubleshooting and bug
//! reports, and the words of the screens.

use crate::{
    config::Clipboard,
    tui::{
        keys::ActionId,
        parts::{list::ListId, text::format_count, theme_settings::ColorDepth},
        screens::screen::{ScreenState, ScreenView},
        session::{
            accepted_findings::OpenFindingCounts, action::Target, context::ViewContext,
            open_catalog::OpenCatalog,
        },
        widgets::{
            canvas::{Canvas, Line, Rect, hanging_lines, pad, piece},
            theme::Ink,
        },
        work::ProgramChoice,
    },
};
use olm_check::Severity;

/// Words of the screens with their meanings. `docs/glossary.md` has all.
pub const WORDS: [(&str, &str); 9] = [
    ("entry", "the place of a bundle in a channel, with its replaces, skips and skipRange"),
    ("edge", "one of replaces, skips and skipRange: from an installed version to an entry"),
    ("head", "the entry of a channel that no other entry replaces or skips; Classic installs it"),
    ("Classic, v1", "the two generations of OLM: operator-lifecycle-manager and operator-controller"),
    ("stuck", "no upgrade path leads from the version to the head of the default channel or higher"),
    ("channel change", "Classic leads to that head only if users change the channel of their Subscription"),
    ("freed", "the version was stuck and is not any more"),
    ("finding", "an error, a warning or a note of a rule"),
    ("what-if", "an edit that is only tried: every screen shows the catalog as it would be"),
];

/// State of the About screen.
#[derive(Debug, Default)]
pub struct About {
    sections: Vec<Section>,
    /// Cache of open findings for each catalog.
    counts: OpenFindingCounts,
}

/// Titled list of facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Title of the section.
    pub title: String,
    /// The facts in order.
    pub facts: Vec<Fact>,
}

/// Name with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Name of the fact.
    pub name: String,
    /// Value of the fact.
    pub value: String,
    /// True if the user should look at it.
    pub needs_attention: bool,
}

impl About {
    /// Returns all sections in order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

impl ScreenState for About {
    fn target(&self, _see: &ViewContext<'_>) -> Target {
        Target::for_page()
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        ListId::About
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        self.sections =
            vec![program_section(view_cx), terminal_section(view_cx), configuration_section(view_cx)];
        let (shown, all) = (view_cx.session.catalogs.current_index(), view_cx.session.catalogs.all().len());
        self.counts.update(view_cx.session.catalogs.all());
        let counts = &self.counts;
        let catalogs = view_cx.session.catalogs.all().iter().enumerate();
        self.sections.extend(catalogs.map(|(index, open)| {
            let title = match all {
                1 => "Catalog".to_owned(),
                _ if index == shown => format!("Catalog {} of {all}, current", index + 1),
                _ => format!("Catalog {} of {all}", index + 1),
            };
            Section {
                title,
                facts: catalog_facts(open, |severity| counts.open_count(index, severity), view_cx),
            }
        }));
        let facts = WORDS.iter().map(|(word, meaning)| fact(*word, *meaning)).collect();
        self.sections.push(Section { title: "Words".to_owned(), facts });
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        draw_about_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

fn fact(name: impl Into<String>, value: impl Into<String>) -> Fact {
    Fact { name: name.into(), value: value.into(), needs_attention: false }
}

fn problem_fact(name: impl Into<String>, value: impl Into<String>) -> Fact {
    Fact { needs_attention: true, ..fact(name, value) }
}

fn program_section(view_cx: &ViewContext<'_>) -> Section {
    let told = view_cx.notices.log.len();
    let messages = match told {
        0 => "none".to_owned(),
        _ => format!(
            "{told}; {} shows all",
            ProgramChoice::Messages.keys(view_cx.key_label(ActionId::ProgramMenu))
        ),
    };
    let mut facts = vec![fact("version", env!("CARGO_PKG_VERSION")), fact("messages", messages)];
    facts.push(fact("for a bug report", "olmap doctor, on the command line"));
    facts.extend(view_cx.settings.read_only.as_ref().map(|why| fact("read-only", why)));
    Section { title: "olmap".to_owned(), facts }
}

fn terminal_section(view_cx: &ViewContext<'_>) -> Section {
    let (columns, rows) = view_cx.frame.size;
    let settings = view_cx.settings;
    let colours = match settings.theme_settings.color_depth {
        ColorDepth::None => "none",
        ColorDepth::Sixteen => "16",
        ColorDepth::Indexed => "256",
        ColorDepth::TrueColor => "any",
    };
    let theme = match (settings.theme_settings.theme, settings.theme_settings.effective_theme()) {
        (asked, drawn) if asked == drawn => drawn.name().to_owned(),
        (asked, drawn) => format!("{}, that is {}", asked.name(), drawn.name()),
    };
    let mouse = ProgramChoice::Mouse.keys(view_cx.key_label(ActionId::ProgramMenu));
    let mouse = match (view_cx.frame.captures_mouse, settings.no_mouse) {
        (true, _) => format!("on; {mouse} turns it off"),
        (false, true) => format!("off, as configured; {mouse} turns it on"),
        (false, false) => format!("off; {mouse} turns it on"),
    };
    let clipboard = match settings.clipboard {
        Some(Clipboard::Off) => "off, as configured",
        Some(Clipboard::Osc52) => "through the terminal (OSC 52), as configured",
        Some(Clipboard::Auto) | None => "system clipboard, else the terminal (OSC 52)",
    };
    let characters = if settings.ascii { "ASCII" } else { "Unicode" };
    let mut facts = vec![
        fact("size", format!("{columns}x{rows}")),
        fact("colours", colours),
        fact("theme", theme),
        fact("characters", characters),
        fact("mouse", mouse),
        fact("clipboard", clipboard),
    ];
    facts.extend(settings.no_shell.map(|why| fact("suspending", format!("not available: {why}"))));
    Section { title: "Terminal".to_owned(), facts }
}

fn configuration_section(view_cx: &ViewContext<'_>) -> Section {
    let configuration = &view_cx.settings.configuration;
    let file =
        configuration.path.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
    let mut facts = vec![fact("file", file)];
    facts.extend(configuration.problems.iter().map(|problem| {
        let hint = problem.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        problem_fact(problem.at.to_string(), format!("{}{hint}", problem.message))
    }));
    Section { title: "Configuration".to_owned(), facts }
}

fn catalog_facts(
    open: &OpenCatalog,
    count: impl Fn(Severity) -> usize,
    view_cx: &ViewContext<'_>,
) -> Vec<Fact> {
    let now = open.visible_state();
    let bundles: usize = now.packages().map(|(_, package_state)| package_state.package().bundles.len()).sum();
    let mut facts = vec![
        fact("opened from", open.source.label()),
        fact("files", now.catalog.files().len().to_string()),
        fact("packages", now.packages().len().to_string()),
        fact("bundles", bundles.to_string()),
    ];
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let findings =
        fact("findings", format!("{}, {}", format_count(errors, "error"), format_count(warnings, "warning")));
    facts.push(Fact { needs_attention: errors > 0, ..findings });
    let protected: Vec<_> = now.catalog.files().iter().filter(|file| !file.writable).collect();
    facts.extend(protected.first().map(|first| {
        let first = first.display_path().display().to_string();
        let others = protected.len() - 1;
        fact(
            "write-protected",
            if others == 0 { first } else { format!("{first} and {}", format_count(others, "other file")) },
        )
    }));
    facts.extend(open.base_comparison.base().map(|base| fact("compared with", base.label())));
    match (&open.expectations, view_cx.settings.expectations.as_ref()) {
        (Some(expectations), _) => {
            facts.push(fact("expectations", expectations.path.display().to_string()));
            let mistakes = expectations.mistakes.len();
            facts.extend(
                (mistakes > 0)
                    .then(|| problem_fact("", format!("{} in it", format_count(mistakes, "mistake")))),
            );
        }
        (None, Some(path)) => facts.push(fact("expectations", path.display().to_string())),
        (None, None) => {}
    }
    let unsaved = open.history.edits_between(&open.baseline).len();
    facts.push(match unsaved {
        0 => fact("unsaved edits", "none"),
        _ => fact(
            "unsaved edits",
            format!("{unsaved}; {} shows what they change", view_cx.key_label(ActionId::ShowChanges)),
        ),
    });
    facts
}

/// Columns of the names.
const NAME_COLUMNS: usize = 16;

/// The screen and its context.
type View<'a> = ScreenView<'a, About>;

/// Draws the screen.
pub fn draw_about_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let ascii = canvas.ascii;
    let mut lines: Vec<Line> = Vec::new();
    for section in view.state.sections() {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![piece(&section.title, Ink::Title)]);
        for fact in &section.facts {
            let ink = if fact.needs_attention { Ink::Warning } else { Ink::Text };
            let mark = if fact.needs_attention { "! " } else { "  " };
            let name = pad(&fact.name, NAME_COLUMNS, ascii);
            let head = [piece(mark, ink), piece(format!("{name} "), Ink::Dim)];
            lines.extend(hanging_lines(&head, &fact.value, usize::from(inner.width), ink));
        }
    }
    canvas.draw_scrolled_lines(
        inner,
        ListId::About,
        view.session.lists.first_row(ListId::About),
        true,
        &lines,
    );
}
