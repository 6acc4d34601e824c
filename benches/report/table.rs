//! Tables of a Markdown document.

/// Markdown table with a heading.
pub struct Table {
    width: usize,
    text: String,
}

impl Table {
    pub fn new(heading: &[&str]) -> Self {
        let mut table = Self { width: heading.len(), text: String::new() };
        table.add_row(heading.iter().map(ToString::to_string));
        table.add_row(heading.iter().map(|_| "---".to_owned()));
        table
    }

    pub fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.width, "{cells:?}");
        self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }

    pub fn into_markdown(self) -> String {
        self.text
    }
}
