//! Dialog with providers and users of APIs and packages in all open catalogs. The first level lists
//! APIs and packages, the second level the bundles that provide or require one of them.

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field::{self, TextField},
        list::passes_filter,
        memo::{Memo, SharedRef},
    },
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_field, draw_key_hints},
        canvas::{Canvas, Line, display_width, pad, piece, text_piece, wrap_text},
        text::format_count,
        theme::Ink,
    },
    work::Jump,
};
use olm_catalog::blob::DependencyTarget;
use olm_check::review::Snapshot;
use olm_upgrade::apis::{DependencyGroup, DependencyIndex, Side, Usage};
use olmap_report::apis::describe_group_channels;
use ratatui::layout::Rect;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("apis", "APIs and packages").with_rows().with_field();

/// State of the dialog.
#[derive(Debug, Default)]
pub struct ApiList {
    /// Filter text.
    pub input: TextField,
    /// Index of the selected row among the filtered rows.
    pub cursor: usize,
    index: Memo<Vec<SharedRef<Snapshot>>, DependencyIndex>,
    /// API or package whose providers and users are shown; `None` for the list of all.
    opened_thing: Option<DependencyTarget>,
    /// Filter text and row in the list of all, restored when the user goes back.
    list_state: Option<(TextField, usize)>,
}

impl ApiList {
    /// Opens the list of all, or the second level of one with the cursor on the given side.
    pub(in crate::tui) fn new(of: Option<(DependencyTarget, Side)>, view_cx: &ViewContext<'_>) -> Self {
        let (of, side) = of.unzip();
        let mut apis = Self { opened_thing: of, ..Self::default() };
        apis.refresh_state(view_cx);
        let first = apis.filtered_groups().position(|(at, _)| Some(at) == side);
        apis.cursor = first.unwrap_or_default();
        apis
    }

    /// Returns the number of APIs and packages.
    pub fn count_usages(&self) -> usize {
        self.index.value.usages().len()
    }

    /// Returns the number of required APIs and packages without a provider.
    pub fn count_missing(&self) -> usize {
        self.index.value.usages().iter().take_while(|usage| usage.is_missing()).count()
    }

    /// Returns the APIs and packages that match the filter.
    pub fn filtered_usages(&self) -> impl Iterator<Item = &Usage> {
        let typed = self.input.value();
        self.index.value.usages().iter().filter(move |usage| passes_filter(typed, &usage.thing.to_string()))
    }

    /// Returns the API or package whose providers and users are shown.
    pub fn opened_thing(&self) -> Option<&DependencyTarget> {
        self.opened_thing.as_ref()
    }

    /// Returns the matching groups that provide or require the opened API or package.
    pub fn filtered_groups(&self) -> impl Iterator<Item = (Side, &DependencyGroup)> {
        let typed = self.input.value();
        let usage = self.opened_thing.as_ref().and_then(|thing| self.index.value.usage(thing));
        let sides = [Side::Provided, Side::Required].into_iter();
        let all = sides.flat_map(move |side| {
            usage.into_iter().flat_map(move |usage| usage.side(side)).map(move |group| (side, group))
        });
        all.filter(move |(side, group)| {
            passes_filter(typed, &format!("{} {} {}", side.as_str(), group.package_name(), group.label))
        })
    }

    /// Returns true if the user can go back to the list of all.
    pub fn can_go_back(&self) -> bool {
        self.list_state.is_some()
    }

    /// Opens the providers and users of the selected API or package.
    fn open_selected_usage(&mut self) {
        let Some(thing) = self.filtered_usages().nth(self.cursor).map(|usage| usage.thing.clone()) else {
            return;
        };
        self.list_state = Some((std::mem::take(&mut self.input), self.cursor));
        self.opened_thing = Some(thing);
        self.cursor = 0;
    }
}

/// Returns a jump to the bundle with the highest version of the group.
pub(in crate::tui) fn jump_to_group(group: &DependencyGroup) -> Option<Jump> {
    let bundle = group.highest()?.name.value.clone();
    let package = group.package_name().clone();
    Some(Jump::Bundle { catalog: Some(group.catalog), package, channel: None, bundle })
}

impl DialogState for ApiList {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press == KeyPress::Action(ActionId::Accept) {
            if self.opened_thing.is_none() {
                self.open_selected_usage();
                return DialogStep::Stay;
            }
            let Some(jump) =
                self.filtered_groups().nth(self.cursor).and_then(|(_, group)| jump_to_group(group))
            else {
                return DialogStep::Stay;
            };
            cx.go_to(jump);
            return DialogStep::Close;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.opened_thing.is_some() {
            self.filtered_groups().count()
        } else {
            self.filtered_usages().count()
        };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    /// Goes back to the list of all if the dialog was opened there.
    fn go_back(&mut self) -> bool {
        let Some((input, cursor)) = self.list_state.take() else { return false };
        (self.input, self.cursor, self.opened_thing) = (input, cursor, None);
        true
    }

    /// Rebuilds the index if catalogs were edited or loaded.
    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let states = view_cx
            .session
            .catalogs
            .all()
            .iter()
            .map(|open| SharedRef::from_shared(Some(open.visible_state())))
            .collect();
        self.index.update(states, |states: &Vec<SharedRef<Snapshot>>| {
            DependencyIndex::from_catalogs(
                states.iter().filter_map(SharedRef::get).map(|state| &*state.catalog),
            )
        });
        let count = self.row_cursor().map_or(0, |rows| rows.count);
        self.cursor = self.cursor.min(count.saturating_sub(1));
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let title = match self.opened_thing() {
            Some(thing) => format!("Who provides and requires {thing}"),
            None => "APIs and packages: who provides and requires them".to_owned(),
        };
        let most = area.height * 9 / 10;
        let rows =
            if self.opened_thing().is_some() { self.filtered_groups().count() } else { self.count_usages() };
        // The field, a rule, the keys and the frame.
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let high = rows.saturating_add(DETAIL_LINES + 5).min(most);
        let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), &title);
        if inner.height < 3 {
            return;
        }
        draw_field(canvas, Rect { height: 1, ..inner }, &self.input, true);
        // A short list leaves its room to the details.
        let spare = inner.height.saturating_sub(rows.saturating_add(3));
        let more = DETAIL_LINES.min(spare.max(inner.height.saturating_sub(4) / 3));
        let below = more + 1 + u16::from(more > 0);
        let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
        let (count, lines) = match self.opened_thing() {
            None => draw_all_usages(view_cx, self, canvas, list),
            Some(_) => draw_usage_groups(view_cx, self, canvas, list),
        };
        canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Ink::Dim)]);
        if more > 0 {
            canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
            let columns = usize::from(inner.width);
            let lines = lines.iter().flat_map(|(words, ink)| {
                wrap_text(words, columns).into_iter().map(move |line| vec![piece(line, *ink)])
            });
            for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
                canvas.draw_line(Rect { y, height: 1, ..inner }, &line);
            }
        }
        let (enter, leave) = match self.opened_thing() {
            None => ("list who", "close"),
            Some(_) if self.can_go_back() => ("go there", "back"),
            Some(_) => ("go there", "close"),
        };
        draw_key_hints(
            view_cx,
            DIALOG,
            canvas,
            inner,
            &[(ActionId::Accept, enter), (ActionId::Cancel, leave)],
        );
    }
}

/// Lines for details of the selected row.
const DETAIL_LINES: u16 = 4;

/// Below this width the verbs are omitted to leave room for the names.
const NARROW_COLUMNS: u16 = 60;

/// Columns of the box.
const BOX_COLUMNS: u16 = 110;

/// Detail lines below a list, each with an ink.
type DetailLines = Vec<(String, Ink)>;

fn draw_all_usages(
    view_cx: &ViewContext<'_>,
    apis: &ApiList,
    canvas: &mut Canvas<'_>,
    list: Rect,
) -> (String, DetailLines) {
    let left: Vec<&Usage> = apis.filtered_usages().collect();
    if left.is_empty() {
        let words = if apis.count_usages() == 0 {
            "no bundle provides or requires an API"
        } else {
            "nothing matches"
        };
        canvas.draw_text(list.x, list.y, list.width, words, Ink::Dim);
    }
    canvas.draw_list(list, &dialog_list(apis, view_cx, canvas), |at| {
        left.get(at).map(|usage| usage_row(usage, list.width)).unwrap_or_default()
    });
    let mut count = format!("{} of {}", left.len(), apis.count_usages());
    if apis.count_missing() > 0 {
        count.push_str(&format!(", {} not provided", apis.count_missing()));
    }
    let labels = catalog_labels(view_cx);
    let said = left.get(apis.cursor).map(|usage| describe_usage(usage, &labels));
    (count, said.unwrap_or_default())
}

/// Returns the labels of the open catalogs. Empty for a single catalog.
fn catalog_labels(view_cx: &ViewContext<'_>) -> Vec<String> {
    let catalogs = &view_cx.session.catalogs;
    if catalogs.all().len() > 1 { catalogs.labels() } else { Vec::new() }
}

/// Describes who provides and requires a thing. Catalogs with the same bundles share a line.
fn describe_usage(usage: &Usage, labels: &[String]) -> DetailLines {
    let mut lines: Vec<(String, Ink, Vec<&str>)> = Vec::new();
    for side in [Side::Provided, Side::Required] {
        for group in usage.side(side) {
            let words = describe_group(side, group);
            let label = labels.get(group.catalog).map(String::as_str);
            if let Some((.., catalogs)) = lines.iter_mut().find(|(known, ..)| *known == words) {
                catalogs.extend(label);
            } else {
                let ink = if group.met { Ink::Text } else { Ink::Warning };
                lines.push((words, ink, label.into_iter().collect()));
            }
        }
    }
    let place = |catalogs: Vec<&str>| {
        if catalogs.is_empty() { String::new() } else { format!(", in {}", catalogs.join(", ")) }
    };
    let count = lines.len();
    let lines = lines.into_iter().map(|(words, ink, catalogs)| (words + &place(catalogs), ink));
    let most = usize::from(DETAIL_LINES);
    if count <= most {
        return lines.collect();
    }
    let more = (format!("and {} more", count + 1 - most), Ink::Dim);
    lines.take(most - 1).chain([more]).collect()
}

fn usage_row(usage: &Usage, columns: u16) -> Line {
    let ink = if usage.is_missing() { Ink::Warning } else { Ink::Text };
    // The count comes first, so it stays visible if the name is long.
    let number = |side, verb| {
        let count = usage.count_packages(side);
        let ink = if count == 0 { Ink::Dim } else { Ink::Text };
        let words =
            if columns < NARROW_COLUMNS { format!("{count:>3}") } else { format!("{count:>3} {verb} ") };
        piece(words, ink)
    };
    let mut pieces = vec![number(Side::Provided, "provide"), number(Side::Required, "require")];
    pieces.push(piece(if usage.is_missing() { " ! " } else { "   " }, Ink::Warning));
    pieces.push(piece(usage.thing.to_string(), ink));
    pieces
}

fn draw_usage_groups(
    view_cx: &ViewContext<'_>,
    apis: &ApiList,
    canvas: &mut Canvas<'_>,
    list: Rect,
) -> (String, DetailLines) {
    let groups: Vec<(Side, &DependencyGroup)> = apis.filtered_groups().collect();
    if groups.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Ink::Dim);
    }
    let labels = catalog_labels(view_cx);
    let widest = groups
        .iter()
        .map(|(_, group)| display_width(group.package_name().as_str()))
        .max()
        .unwrap_or_default();
    let column = widest.min(usize::from(list.width) / 2);
    let ascii = canvas.ascii;
    canvas.draw_list(list, &dialog_list(apis, view_cx, canvas), |at| {
        let Some((side, group)) = groups.get(at) else { return Vec::new() };
        let ink = match (side, group.met) {
            (Side::Provided, _) => Ink::Good,
            (Side::Required, true) => Ink::Dim,
            (Side::Required, false) => Ink::Warning,
        };
        let verb = if *side == Side::Provided { "provides" } else { "requires" };
        let mut pieces = vec![
            piece(format!("{verb}  "), ink),
            text_piece(format!("{}  ", pad(group.package_name().as_str(), column, ascii))),
            text_piece(format!("{} ", group.label)),
            piece(group.format_versions(), Ink::Dim),
        ];
        pieces.extend(labels.get(group.catalog).map(|label| piece(format!("  {label}"), Ink::Dim)));
        pieces
    });
    let said = groups.get(apis.cursor).map(|(side, group)| {
        let ink = if group.met { Ink::Text } else { Ink::Warning };
        vec![(describe_group(*side, group), ink), (describe_group_channels(group), Ink::Dim)]
    });
    (format_count(groups.len(), "row"), said.unwrap_or_default())
}

/// Describes a group: `provided by harbour 1.0.0 to 2.3.1 (12 bundles)`.
fn describe_group(side: Side, group: &DependencyGroup) -> String {
    let what = if group.label.is_empty() { String::new() } else { format!("{} ", group.label) };
    let missing = if group.met { "" } else { ": not provided" };
    format!("{what}{} by {} {}{missing}", side.as_str(), group.package_name(), group.format_versions())
}
