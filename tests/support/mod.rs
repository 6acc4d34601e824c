//! Driver of the explorer: runs `update` and `view` as the runtime does, without a terminal.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use olm_catalog::{
    Catalog, escape,
    lifecycle::Date,
    load::{self, Progress},
};
use olm_check::review::{DeferredChecks, PackageState, Snapshot};
use olm_source::{Access, ManifestSearchPath, ManifestStore, OpenOptions, cache::Cache};
use olm_upgrade::safety::{ApiNeighbors, PackageSafety, SafetyInputs};
use olmap::demo::demo;
use olmap::tui::{
    self, Effect, LoadOutcome, Model, Msg, Settings, Source, Theme, ThemeName, UserError,
    keys::{ActionId, Key, keymap::KeyMatch},
    session::jobs::{deferred_checks::DeferredCheckRequest, load::LoadAnswer},
    shell::update::update_with_commands,
    update,
    widgets::capture,
    work::{Command, Question, outcome::SaveDestination},
};
use ratatui::{
    Terminal,
    backend::TestBackend,
    buffer::Buffer,
    crossterm::event::{KeyEvent, MouseEvent},
};

/// Returns default settings with a fixed date.
pub fn settings() -> Settings {
    let access = Access { cache: Some(Cache::in_folder("/nowhere/olmap".into())), ..Access::default() };
    let how = OpenOptions { access, ..OpenOptions::default() };
    Settings { today: Date::parse("2026-11-22").ok(), open_options: how, ..Settings::default() }
}

/// Checks the upgrade steps of a package.
pub fn check_package(
    package: &Arc<PackageState>,
    snapshot: &Snapshot,
) -> (Arc<PackageState>, DeferredChecks) {
    let progress = Progress::default();
    let manifests = ManifestStore::new(&snapshot.catalog, &ManifestSearchPath::default(), &progress).unwrap();
    let neighbors = ApiNeighbors::from_catalog(&snapshot.catalog);
    let inputs = SafetyInputs { manifests: &manifests, neighbors: &neighbors, cache: None };
    let safety = Some(Arc::new(PackageSafety::judge_package(&package.graph, inputs)));
    (package.clone(), DeferredChecks { safety, is_refused_by_v1: false, template: None })
}

/// Explorer that tests control with keys and messages.
pub struct ExplorerDriver {
    pub model: Model,
    pub effects: Vec<Effect>,
    terminal: Terminal<TestBackend>,
}

impl ExplorerDriver {
    /// Opens the built-in demo.
    pub fn demo(columns: u16, rows: u16) -> Self {
        Self::open_source(Source::Demo, demo(), columns, rows)
    }

    /// Opens YAML as if it came from standard input.
    pub fn open_yaml(yaml: &str, columns: u16, rows: u16) -> Self {
        let bytes = yaml.as_bytes().to_vec();
        Self::open_source(Source::Stdin(Arc::new(bytes.clone())), load::from_bytes(bytes), columns, rows)
    }

    /// Opens a catalog as a source.
    pub fn open_source(source: Source, catalog: Catalog, columns: u16, rows: u16) -> Self {
        let mut hand = Self::before_loading(vec![source.clone()], settings(), columns, rows);
        hand.finish_loading(source, Ok(Arc::new(Snapshot::new(catalog))));
        hand
    }

    /// Starts the explorer before any source is loaded.
    pub fn before_loading(sources: Vec<Source>, settings: Settings, columns: u16, rows: u16) -> Self {
        let mut hand = Self {
            model: Model::new(sources, settings, (columns, rows)),
            effects: Vec::new(),
            terminal: Terminal::new(TestBackend::new(columns, rows)).unwrap(),
        };
        hand.draw_frame();
        hand
    }

    /// Delivers the result of loading a source.
    pub fn finish_loading(&mut self, source: Source, result: Result<Arc<Snapshot>, UserError>) {
        self.finish_loads(vec![LoadOutcome { source, result, recoverable_edits: None }]);
    }

    /// Delivers the results of the last load request.
    pub fn finish_loads(&mut self, outcomes: Vec<LoadOutcome>) {
        let asked = Arc::clone(self.model.session.jobs.load_request().unwrap());
        self.answer(asked, LoadAnswer::Done(outcomes));
    }

    /// Delivers a part of the last load request.
    pub fn load_partially(&mut self, source: Source, snapshot: Arc<Snapshot>) {
        let asked = Arc::clone(self.model.session.jobs.load_request().unwrap());
        self.answer(asked, LoadAnswer::Partial { source, snapshot });
    }

    /// Delivers the answer to a question.
    pub fn answer<Q: Question>(&mut self, question: Arc<Q>, answer: Q::Answer) {
        self.send(Msg::answer(question, answer));
    }

    /// Answers the requests for background checks, as long as there is an unchecked package. Packages are not
    /// compared with templates.
    pub fn finish_checks(&mut self) {
        while let Some(asked) = self.take_request::<DeferredCheckRequest>() {
            let packages = asked.snapshot.packages().map(|(_, package)| package);
            let unchecked = packages.filter(|package| package.safety().is_none());
            let checked = unchecked.map(|package| check_package(package, &asked.snapshot)).collect();
            self.answer(asked, checked);
        }
    }

    /// Returns the requested questions of a type.
    pub fn requests<Q: Question>(&self) -> Vec<Arc<Q>> {
        self.effects.iter().filter_map(Effect::question).collect()
    }

    /// Returns the last requested question of a type.
    pub fn last_request<Q: Question>(&self) -> Option<Arc<Q>> {
        self.requests().pop()
    }

    /// Removes the first requested question of a type from the effects.
    pub fn take_request<Q: Question>(&mut self) -> Option<Arc<Q>> {
        let at = self.effects.iter().position(|effect| effect.question::<Q>().is_some())?;
        self.effects.remove(at).question()
    }

    /// Reports that saving succeeded.
    pub fn finish_saving(&mut self) {
        let written = self.model.session.snapshot().unwrap().clone();
        let catalog = self.model.session.catalogs.current_index();
        self.send(Msg::Saved {
            written: vec![(catalog, written)],
            outcome: Ok(SaveDestination::InPlace),
            warning: None,
        });
    }

    /// Sends a message and draws a frame.
    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.model, msg);
        self.effects.extend(effects);
        self.draw_frame();
    }

    /// Executes a command as if a key had returned it, and draws a frame.
    pub fn run_flow(&mut self, flow: Command) {
        let effects = update_with_commands(&mut self.model, vec![flow]);
        self.effects.extend(effects);
        self.draw_frame();
    }

    /// Presses keys: names as in the keymap, and `'text'` for single letters.
    pub fn press(&mut self, script: &str) -> &mut Self {
        for word in script.split(' ').filter(|word| !word.is_empty()) {
            match word.strip_prefix('\'') {
                Some(text) => {
                    for c in text.trim_end_matches('\'').chars() {
                        self.press_key(&c.to_string());
                    }
                }
                None => self.press_key(word),
            }
        }
        self
    }

    fn press_key(&mut self, name: &str) {
        let key = Key::parse(name).unwrap_or_else(|| panic!("no key is called {name}"));
        self.send(Msg::Key(KeyEvent::new(key.code, key.modifiers)));
    }

    /// Sends a mouse event.
    pub fn mouse(&mut self, event: MouseEvent) {
        self.send(Msg::Mouse(event));
    }

    /// Changes the terminal size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        self.send(Msg::Resize(columns, rows));
    }

    fn draw_frame(&mut self) {
        let (model, theme) = (&self.model, Theme::new(self.model.settings.theme_settings));
        let mut hits = None;
        self.terminal.draw(|frame| hits = Some(tui::view(model, &theme, frame))).unwrap();
        let cells = self.frame().content().iter();
        let bad = { cells }.find(|cell| cell.symbol().contains(escape::is_harmful));
        assert!(bad.is_none(), "a cell holds what acts or hides: {bad:?}");
        // As in the runtime, only changed hit areas are sent.
        let hits = hits.unwrap();
        if hits != self.model.frame.hits {
            update(&mut self.model, Msg::Drawn(hits));
        }
    }

    /// Returns the frame as text, without trailing spaces.
    pub fn screen(&self) -> String {
        capture::render_text(self.frame())
    }

    /// Returns the cells of the frame.
    pub fn frame(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    /// Returns the roles of the parts of the frame, row by row.
    pub fn roles(&self) -> String {
        let mut terminal =
            Terminal::new(TestBackend::new(self.frame().area.width, self.frame().area.height)).unwrap();
        terminal.draw(|frame| drop(tui::view(&self.model, &Theme::with_ink_numbers(), frame))).unwrap();
        capture::render_inks(terminal.backend().buffer())
    }

    /// Returns the frame as an SVG picture with a title, in a theme with its own background.
    pub fn picture(&mut self, title: &str) -> String {
        self.model.settings.theme_settings.theme = ThemeName::Dark;
        self.draw_frame();
        capture::render_svg(self.frame(), title)
    }

    /// Returns the cells of the frame.
    pub fn buffer(&self) -> &ratatui::buffer::Buffer {
        self.terminal.backend().buffer()
    }

    /// Returns true if the screen shows a text.
    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }

    /// Returns the action of a key on the current screen.
    pub fn action_of_key(&self, key: &str) -> Option<ActionId> {
        match self.model.keys.map.match_keys(self.model.session.navigation.screen, &[Key::parse(key)?]) {
            KeyMatch::Action(spec) => Some(spec.id),
            KeyMatch::Prefix | KeyMatch::Unbound => None,
        }
    }
}
