//! Template for bundle images: `--alpha-image-ref-template`.

use std::str::FromStr;

/// A template such as `registry.example.com/{{.Package}}:v{{.Version}}`, in the subset of Go's `text/template`
/// with fields only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageTemplate(Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Package,
    Name,
    Version,
}

/// Error of an invalid template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TemplateError {
    /// `{{` without `}}`.
    #[error("the template has `{{{{` without `}}}}`")]
    Open,
    /// Anything other than a known field.
    #[error("`{{{{{0}}}}}`: the template knows {{{{.Package}}}}, {{{{.Name}}}} and {{{{.Version}}}}")]
    Unknown(String),
}

impl ImageTemplate {
    /// Creates a template that returns the same image for every bundle.
    pub fn literal(image: &str) -> Self {
        Self(vec![Part::Text(image.to_owned())])
    }

    /// Returns the image of a bundle.
    pub fn image_for(&self, package: &str, name: &str, version: &str) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text,
            Part::Package => package,
            Part::Name => name,
            Part::Version => version,
        });
        parts.collect()
    }
}

impl FromStr for ImageTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, after) = after.split_once("}}").ok_or(TemplateError::Open)?;
            let before = if inside.starts_with("- ") { before.trim_end() } else { before };
            parts.push(Part::Text(before.to_owned()));
            let field = inside.strip_prefix("- ").unwrap_or(inside);
            let field = field.strip_suffix(" -").unwrap_or(field);
            parts.push(match field.trim() {
                ".Package" => Part::Package,
                ".Name" => Part::Name,
                ".Version" => Part::Version,
                _ => return Err(TemplateError::Unknown(inside.to_owned())),
            });
            rest = if inside.ends_with(" -") { after.trim_start() } else { after };
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }
}
