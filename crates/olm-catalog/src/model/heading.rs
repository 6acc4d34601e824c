//! Schema and package of a document by a quick scan, to list packages before their documents are read.
//!
//! A heading is a guess for listing and for the order of reading. [`decode`](crate::decode) reads the
//! actual content. The guess is right for documents written by opm, jq, yq and kubectl.

use std::borrow::Cow;

use memchr::memmem;

use crate::text::split::Format;

/// Schema of a document and its package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Heading<'a> {
    pub schema: Cow<'a, str>,
    /// The name, for an `olm.package`.
    pub package: Cow<'a, str>,
}

/// Scans for the fields of a heading. `None` if they are absent or not in the usual form.
pub(super) fn scan_heading(format: Format, text: &[u8]) -> Option<Heading<'_>> {
    match format {
        Format::Json => JsonScanner { rest: text }.scan_heading(),
        Format::Yaml => {
            let schema = yaml_field(text, b"schema:")?;
            let key: &[u8] = if schema == "olm.package" { b"name:" } else { b"package:" };
            Some(Heading { schema, package: yaml_field(text, key)? })
        }
    }
}

/// Returns the value of a key at the beginning of a line, where nested keys cannot be.
fn yaml_field<'a>(text: &'a [u8], key: &[u8]) -> Option<Cow<'a, str>> {
    let at = if text.starts_with(key) {
        0
    } else {
        let mut found = memmem::find_iter(text, key);
        found.find(|&at| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\n'))?
    };
    let rest = text.get(at + key.len()..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
    let value = std::str::from_utf8(line).ok()?.trim();
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(quoted) = inner('"').or_else(|| inner('\'')) {
        return (!quoted.contains(['"', '\'', '\\'])).then_some(Cow::Borrowed(quoted));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    (!value.is_empty() && value.chars().all(is_name)).then_some(Cow::Borrowed(value))
}

/// Scanner of a JSON object that skips the values of other members.
struct JsonScanner<'a> {
    rest: &'a [u8],
}

impl<'a> JsonScanner<'a> {
    fn scan_heading(mut self) -> Option<Heading<'a>> {
        let (mut schema, mut package, mut name) = (None, None, None);
        self.skip_blanks();
        self.expect_byte(b'{')?;
        loop {
            self.skip_blanks();
            let key = self.scan_string()?;
            self.skip_blanks();
            self.expect_byte(b':')?;
            self.skip_blanks();
            let wanted = match key {
                b"schema" => Some(&mut schema),
                b"package" => Some(&mut package),
                b"name" => Some(&mut name),
                _ => None,
            };
            match wanted {
                Some(field) => *field = Some(self.scan_string()?),
                None => self.skip_value()?,
            }
            let home = match schema {
                Some(b"olm.package") => name,
                Some(_) => package,
                None => None,
            };
            if let Some((schema, home)) = schema.zip(home) {
                return Some(Heading { schema: unescape(schema)?, package: unescape(home)? });
            }
            self.skip_blanks();
            self.expect_byte(b',')?;
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn expect_byte(&mut self, wanted: u8) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        (*first == wanted).then_some(())
    }

    /// Returns the source text between the quotes of a string.
    fn scan_string(&mut self) -> Option<&'a [u8]> {
        self.expect_byte(b'"')?;
        let text = self.rest;
        let mut at = 0;
        loop {
            at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
            if text.get(at) == Some(&b'"') {
                self.rest = text.get(at + 1..)?;
                return text.get(..at);
            }
            at += 2;
        }
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            let next = self.rest.iter().position(|b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']' | b','))?;
            self.rest = self.rest.get(next..)?;
            match self.rest.first()? {
                b'"' => {
                    self.scan_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                // End of the enclosing object, or of a sibling.
                b'}' | b']' | b',' if depth == 0 => return Some(()),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.rest = self.rest.get(1..)?;
        }
    }
}

fn unescape(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(text).ok()?;
    (!text.contains('\\')).then_some(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_pair(format: Format, text: &str) -> Option<(String, String)> {
        scan_heading(format, text.as_bytes()).map(|h| (h.schema.into_owned(), h.package.into_owned()))
    }

    fn pair(schema: &str, package: &str) -> (String, String) {
        (schema.to_owned(), package.to_owned())
    }

    #[test]
    fn reads_yaml_keys_in_any_order() {
        let yaml = |text| scan_pair(Format::Yaml, text);
        assert_eq!(yaml("---\nschema: olm.package\nname: ship\n"), Some(pair("olm.package", "ship")));
        let bundle = "---\nimage: a\nname: ship.v1\npackage: 'ship'\nproperties:\n- type: x\n  value:\n    schema: y\n    package: other\nschema: \"olm.bundle\"\n";
        assert_eq!(yaml(bundle), Some(pair("olm.bundle", "ship")));
        assert_eq!(yaml("package: ship\r\nschema: olm.channel\r\n"), Some(pair("olm.channel", "ship")));
    }

    #[test]
    fn skips_yaml_that_needs_a_parser() {
        for text in [
            "schema: olm.bundle\n",
            "schema: &a olm.bundle\npackage: *a\n",
            "schema: 'a''b'\npackage: c\n",
            "{schema: a, package: b}",
            "",
        ] {
            assert_eq!(scan_pair(Format::Yaml, text), None, "{text}");
        }
    }

    #[test]
    fn reads_json_keys_in_any_order() {
        let json = |text| scan_pair(Format::Json, text);
        assert_eq!(
            json(r#" {"schema": "olm.package", "defaultChannel": "a", "name": "ship"}"#),
            Some(pair("olm.package", "ship"))
        );
        let bundle = r#"{"name":"a\"}","n":-1.5e3,"t":[true,{"schema":"x","package":["]"]}],"package":"ship","schema":"olm.bundle"}"#;
        assert_eq!(json(bundle), Some(pair("olm.bundle", "ship")));
        assert_eq!(
            json(r#"{"schema":"olm.bundle","package":"ship", broken"#),
            Some(pair("olm.bundle", "ship")),
            "a glance"
        );
        for text in
            [r#"{"schema":"a"}"#, r#"{"schema":1,"package":"b"}"#, "[]", "{", r#"{"a":"#, r#"{"a":"\"#, ""]
        {
            assert_eq!(json(text), None, "{text}");
        }
    }
}
