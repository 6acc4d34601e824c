//! Comparison of catalogs with their templates, for people, for programs, and for a comment on a
//! pull request.

use std::{fmt::Write as _, path::Path};

use serde_json::{Value, json};

use super::{
    diff::{self, CatalogComparison},
    escape,
    json::to_pretty_json,
    links::CommentLinks,
    markdown::{Comment, MAX_BYTES, escape_markdown},
    style::{Ink, Style},
};
use olm_catalog::{Catalog, TemplateKind, TemplateSource, package::Package};
use olm_check::review::template::Agreement;
use olm_source::{
    LastChanges,
    operator_config::{ConfigSeverity, OperatorFinding},
};

/// Source of the bundles of a rendered template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BundleTexts {
    /// The catalog, which has the bundles of all images.
    Catalog,
    /// The images, which opm pulls.
    Images,
}

/// Returns the command that writes a package of a catalog again from its template. `None` if the package is not exactly one
/// file. The shell empties the target of `>` before a program reads it, so the command writes another file first.
pub fn render_command(
    catalog: &Catalog,
    package: &Package,
    template: &TemplateSource,
    bundles: BundleTexts,
) -> Option<String> {
    let id = package.documents().next()?.file;
    let is_only = package.documents().all(|doc| doc.file == id)
        && catalog.documents().filter(|doc| doc.file == id).count() == package.documents().count();
    let disk = catalog.file(id)?.disk.as_ref().filter(|_| is_only)?;
    let quote = |path: &Path| Some(shell_words::quote(path.to_str()?).into_owned());
    let (path, target) = (quote(&template.path)?, quote(disk)?);
    let is_json = disk.extension().is_some_and(|extension| extension == "json");
    let format = if is_json { "json" } else { "yaml" };
    let migrates = if template.migrates { " --migrate-level=bundle-object-to-csv-metadata" } else { "" };
    let render = match bundles {
        BundleTexts::Catalog => {
            let keeps = if template.kind == Some(TemplateKind::Semver) { " --keep-description" } else { "" };
            format!("olmap template render {path} --bundles {target}{keeps}")
        }
        BundleTexts::Images => {
            let kind = template.kind.map(TemplateKind::schema).unwrap_or_default().rsplit('.').next();
            format!("opm alpha render-template {} {path}", kind.unwrap_or_default())
        }
    };
    Some(format!("{render}{migrates} -o {format} > rendered.{format} && mv rendered.{format} {target}"))
}

/// Results for a repository.
#[derive(Debug, Default)]
pub struct TemplateCheck {
    /// Results, grouped by operator.
    pub rows: Vec<Row>,
    /// Findings about the other files of the operators.
    pub findings: Vec<OperatorFinding>,
}

/// Template and catalog, or one of them if the other is missing.
#[derive(Debug)]
pub struct Row {
    /// The operator's folder. `None` if the template does not belong to `operators/NAME`.
    pub operator: Option<String>,
    /// Path of the template from the root of the repository; `ci.yaml` if that cannot be read.
    pub template: String,
    /// Catalog of the mapping, such as `v4.20`; `None` for a template without a mapping.
    pub catalog: Option<String>,
    /// Result of the comparison.
    pub finding: TemplateFinding,
    /// Most recently committed side, if both differ and git knows it.
    pub newer: Option<LastChanges>,
}

/// Result for one template and one catalog.
#[derive(Debug)]
pub enum TemplateFinding {
    /// Both were compared.
    Compared(Agreement),
    /// The operator does not have this catalog.
    NoCatalog,
    /// The template does not exist.
    NoTemplate,
    /// The template is not mapped to a catalog.
    NotMapped,
    /// A file cannot be read; contains the reason.
    Unreadable(String),
    /// The template is a composite, which is not rendered.
    Composite {
        /// True if other templates make all of its catalogs, and are checked.
        is_covered: bool,
    },
}

fn composite_reason(is_covered: bool) -> &'static str {
    if is_covered {
        "olmap does not render composite templates; their components are checked"
    } else {
        "olmap does not render composite templates"
    }
}

const SEVERITIES: [(ConfigSeverity, &str, &str); 3] = [
    (ConfigSeverity::Error, "error", "errors"),
    (ConfigSeverity::Warning, "warning", "warnings"),
    (ConfigSeverity::Note, "note", "notes"),
];

fn severity_ink(severity: ConfigSeverity) -> Ink {
    match severity {
        ConfigSeverity::Error => Ink::Error,
        ConfigSeverity::Warning => Ink::Warning,
        ConfigSeverity::Note => Ink::Note,
    }
}

/// Returns a finding for programs.
fn finding_json(finding: &OperatorFinding) -> Value {
    let mut value = json!({
        "kind": finding.kind.id(),
        "severity": finding.severity.severity_word(),
        "path": finding.at.path.display().to_string(),
        "message": finding.kind.to_string(),
    });
    if let Value::Object(fields) = &mut value {
        if !finding.at.is_whole_file {
            fields.insert("line".to_owned(), json!(finding.at.line));
            fields.insert("column".to_owned(), json!(finding.at.column));
        }
        if let Some(hint) = finding.kind.correction() {
            fields.insert("hint".to_owned(), json!(hint));
        }
    }
    value
}

impl TemplateCheck {
    /// Returns the files that could not be read, each with the reason.
    pub fn unreadable_files(&self) -> Vec<String> {
        let reason = |row: &Row| match &row.finding {
            TemplateFinding::Unreadable(reason) => Some(format!("{}: {reason}", row.row_subject())),
            TemplateFinding::Composite { is_covered: false } => {
                Some(format!("{}: {}", row.row_subject(), composite_reason(false)))
            }
            _ => None,
        };
        self.rows.iter().filter_map(reason).collect()
    }
}

impl Row {
    /// Returns the status for programs.
    pub fn status(&self) -> &'static str {
        match &self.finding {
            TemplateFinding::Compared(Agreement::Same) => "same",
            TemplateFinding::Compared(Agreement::SameExceptDescription(_)) => "not-checked",
            TemplateFinding::Compared(Agreement::Differs(_)) => "differs",
            TemplateFinding::Compared(Agreement::UnknownImages(_)) => "unknown-images",
            TemplateFinding::Compared(Agreement::Refused(_)) => "rejected",
            TemplateFinding::NoCatalog => "no-catalog",
            TemplateFinding::NoTemplate => "no-template",
            TemplateFinding::NotMapped => "not-mapped",
            TemplateFinding::Unreadable(_) => "unreadable",
            TemplateFinding::Composite { .. } => "not-checked",
        }
    }

    /// Returns true if template and catalog differ. A missing catalog or mapping is only reported.
    pub fn fails(&self) -> bool {
        !matches!(
            self.finding,
            TemplateFinding::Compared(Agreement::Same | Agreement::SameExceptDescription(_))
                | TemplateFinding::NoCatalog
                | TemplateFinding::NotMapped
                | TemplateFinding::Composite { .. }
        )
    }

    fn ink(&self) -> Ink {
        match (&self.finding, self.fails()) {
            (TemplateFinding::Compared(Agreement::Same), _) => Ink::Good,
            (_, true) => Ink::Error,
            _ => Ink::Note,
        }
    }

    /// Returns the subject: `operators/x/catalog-templates/y.yaml -> v4.20`.
    fn row_subject(&self) -> String {
        match &self.catalog {
            Some(catalog) => format!("{} -> {catalog}", self.template),
            None => self.template.clone(),
        }
    }

    /// Returns the text that is printed after the status.
    fn status_reasons(&self) -> Vec<String> {
        match &self.finding {
            TemplateFinding::Compared(Agreement::SameExceptDescription(bundle)) => vec![format!(
                "the description and icon of the package: opm takes them from the manifests of {bundle}, which are \
                 not available; all else is the same"
            )],
            TemplateFinding::Compared(Agreement::UnknownImages(images)) => {
                images.iter().map(|image| format!("the catalog has no bundle of {image}")).collect()
            }
            TemplateFinding::Compared(Agreement::Refused(faults)) => {
                faults.0.iter().map(ToString::to_string).collect()
            }
            TemplateFinding::Unreadable(reason) => vec![reason.clone()],
            TemplateFinding::Composite { is_covered } => vec![composite_reason(*is_covered).to_owned()],
            _ => Vec::new(),
        }
    }

    /// Passes the difference to `tell`, if there is one.
    fn with_difference<T>(&self, tell: impl FnOnce(&CatalogComparison<'_>) -> T) -> Option<T> {
        let TemplateFinding::Compared(Agreement::Differs(difference)) = &self.finding else { return None };
        Some(tell(&CatalogComparison {
            old_label: "published",
            new_label: "rendered",
            difference,
            violations: &[],
            left_out: Vec::new(),
            update: None,
            formatting: false,
        }))
    }
}

impl TemplateCheck {
    /// Returns all rows except matches. Missing catalogs of one template share a row.
    fn rows_to_report(&self) -> Vec<(&Row, String)> {
        let mut told: Vec<(&Row, String)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.status() != "same") {
            match (told.last_mut(), &row.catalog, &row.finding) {
                (Some((last, subject)), Some(catalog), TemplateFinding::NoCatalog)
                    if matches!(last.finding, TemplateFinding::NoCatalog)
                        && last.template == row.template =>
                {
                    let _ = write!(subject, ", {catalog}");
                }
                _ => told.push((row, row.row_subject())),
            }
        }
        told
    }

    /// Returns true if any template and catalog differ, or if there is an error or a warning.
    pub fn fails(&self) -> bool {
        let is_failure = |finding: &OperatorFinding| finding.severity != ConfigSeverity::Note;
        self.rows.iter().any(Row::fails) || self.findings.iter().any(is_failure)
    }

    /// Returns the number of rows of each status, and of findings of each severity.
    fn summarize_statuses(&self) -> String {
        let words = [
            ("same", "the same"),
            ("differs", "different"),
            ("unknown-images", "with unknown images"),
            ("rejected", "rejected"),
            ("no-catalog", "without a catalog"),
            ("no-template", "without a template"),
            ("not-mapped", "not mapped"),
            ("unreadable", "unreadable"),
            ("not-checked", "not checked"),
        ];
        let count = |status: &str| self.rows.iter().filter(|row| row.status() == status).count();
        let mut told: Vec<String> = words
            .iter()
            .filter_map(|(status, words)| Some((count(status), words)).filter(|(count, _)| *count > 0))
            .map(|(count, words)| format!("{count} {words}"))
            .collect();
        if told.is_empty() {
            told.push("no templates".to_owned());
        }
        for (severity, one, many) in SEVERITIES {
            let count = self.findings.iter().filter(|finding| finding.severity == severity).count();
            if count > 0 {
                told.push(format!("{count} {}", if count == 1 { one } else { many }));
            }
        }
        told.join(", ")
    }

    /// Renders the differences for people, and the number of matches.
    pub fn render_template_check(&self, style: &Style) -> String {
        let mut out = String::new();
        for (row, subject) in self.rows_to_report() {
            let newer = row.newer.as_ref().map(|newer| format!(" ({newer})")).unwrap_or_default();
            let subject = escape::escape_line(&subject);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} {subject}{newer}", style.paint(row.ink(), row.status()));
            for reason in row.status_reasons() {
                let _ = writeln!(out, "  {}", escape::escape_line(&reason));
            }
            if let Some(text) = row.with_difference(|compared| diff::text::render_difference(compared, style))
            {
                for line in text.lines() {
                    let _ = writeln!(out, "{}", format!("  {line}").trim_end());
                }
            }
        }
        for finding in &self.findings {
            let severity = style.paint(severity_ink(finding.severity), finding.severity.severity_word());
            let words = format!("{}: {}", finding.at, finding.kind);
            let _ = writeln!(out, "{severity} {}", escape::escape_line(&words));
            if let Some(hint) = finding.kind.correction() {
                let _ = writeln!(out, "  hint: {}", escape::escape_line(&hint));
            }
        }
        let _ = writeln!(out, "{}", self.summarize_statuses());
        out
    }

    /// Renders the results for programs.
    pub fn render_template_json(&self) -> String {
        let row = |row: &Row| {
            let mut value = json!({
                "operator": row.operator,
                "template": row.template,
                "catalog": row.catalog,
                "status": row.status(),
            });
            let reasons = row.status_reasons();
            if let Value::Object(fields) = &mut value {
                if let TemplateFinding::Compared(Agreement::UnknownImages(images)) = &row.finding {
                    fields.insert("images".to_owned(), json!(images));
                } else if !reasons.is_empty() {
                    fields.insert("reasons".to_owned(), json!(reasons));
                }
                if let Some(newer) = &row.newer {
                    fields.insert("newer".to_owned(), json!(newer.to_string()));
                }
                if let Some(difference) = row.with_difference(diff::json::difference_json) {
                    fields.insert("difference".to_owned(), difference);
                }
            }
            value
        };
        to_pretty_json(&json!({
            "fails": self.fails(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "findings": self.findings.iter().map(finding_json).collect::<Vec<_>>(),
        }))
    }

    /// Renders a comment for a pull request.
    pub fn render_template_comment(&self) -> String {
        let mut comment = Comment::from(format!("**Templates:** {}\n", self.summarize_statuses()));
        let mut rest = String::new();
        for (row, subject) in self.rows_to_report() {
            let (status, subject) = (row.status(), escape_markdown(&subject));
            if matches!(
                row.finding,
                TemplateFinding::NoCatalog | TemplateFinding::NoTemplate | TemplateFinding::NotMapped
            ) {
                let _ = writeln!(rest, "- {status}: {subject}");
                continue;
            }
            let mut section = format!("\n### {status}: {subject}\n\n");
            if let Some(newer) = &row.newer {
                let _ = writeln!(section, "- {newer}");
            }
            for reason in row.status_reasons() {
                let _ = writeln!(section, "- {}", escape_markdown(&reason));
            }
            if let Some(comment) = row.with_difference(|compared| {
                diff::markdown::render_difference_comment(compared, &CommentLinks::default())
            }) {
                section.push_str(&comment);
            }
            comment.push_if_fits(&section);
        }
        let mut title = "\n### Files of the operators\n\n";
        for finding in &self.findings {
            let words = format!("{}: {}", finding.at, finding.kind);
            let line =
                format!("{title}- {}: {}\n", finding.severity.severity_word(), escape_markdown(&words));
            comment.push_if_fits(&line);
            title = "";
        }
        let Comment { text: mut out, omitted } = comment;
        if !rest.is_empty() && out.len() + rest.len() <= MAX_BYTES {
            let _ = write!(out, "\n### Not compared\n\n{rest}");
        }
        if omitted > 0 {
            let _ = writeln!(out, "\n{omitted} more have no room here: see `olmap template check` for all.");
        }
        out
    }
}
