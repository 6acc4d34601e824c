//! Checks of HTML pages for any catalog, from the view of a browser.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use roxmltree::{Document, Node, ParsingOptions};
use sha2::{Digest as _, Sha256};

/// Allowed elements. None of them loads or submits anything.
const ELEMENTS: [&str; 51] = [
    "a", "b", "body", "br", "caption", "circle", "code", "dd", "details", "div", "dl", "dt", "footer", "h1",
    "h2", "h3", "h4", "head", "header", "html", "li", "main", "meta", "nav", "p", "path", "rect", "script",
    "section", "small", "span", "strong", "style", "summary", "svg", "table", "tbody", "td", "text", "th",
    "thead", "title", "tr", "ul", "button", "input", "label", "output", "img", "pre", "wbr",
];

/// Allowed attributes. None of them runs code, and only `href` and `src` have an address.
const ATTRIBUTES: [&str; 32] = [
    "alt",
    "aria-hidden",
    "src",
    "aria-label",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "d",
    "data-grade",
    "data-key",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "r",
    "role",
    "scope",
    "tabindex",
    "title",
    "viewBox",
    "width",
    "x",
    "y",
    "hidden",
    "type",
    "for",
    "aria-sort",
];

/// Returns the text of the only element with a name, and the page without that text.
fn cut_element(page: &str, name: &str) -> Result<(String, String), String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    if page.matches(&format!("<{name}")).count() != 1 || page.matches(&close).count() != 1 {
        return Err(format!("not one {name}"));
    }
    let (before, rest) = page.split_once(&open).ok_or(format!("no bare {name}"))?;
    let (text, behind) = rest.split_once(&close).ok_or(format!("no end of {name}"))?;
    Ok((text.to_owned(), format!("{before}{open}{close}{behind}")))
}

/// Returns the faults of a page.
pub fn page_faults(page: &str) -> Vec<String> {
    check_page(page).unwrap_or_else(|what| vec![what])
}

fn check_page(page: &str) -> Result<Vec<String>, String> {
    let (style, rest) = cut_element(page, "style")?;
    let (script, rest) = cut_element(&rest, "script")?;
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&rest, options).map_err(|error| format!("not well-formed: {error}"))?;
    let mut wrong = Vec::new();
    if !page.starts_with("<!DOCTYPE html>\n") {
        wrong.push("does not begin as HTML does".to_owned());
    }
    let policies: Vec<&str> = document
        .descendants()
        .filter(|node| node.attribute("http-equiv") == Some("Content-Security-Policy"))
        .filter_map(|node| node.attribute("content"))
        .collect();
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let expected = format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&style),
        hash(&script)
    );
    if policies != [expected.as_str()] {
        wrong.push(format!("the policy is {policies:?}, not {expected}"));
    }
    for text in [&style, &script] {
        for mark in ["<!--", "]]>", "@import", "url(", "http:", "https:", "eval(", "innerHTML"] {
            if text.contains(mark) {
                wrong.push(format!("{mark} in the style or the script"));
            }
        }
    }
    for node in document.descendants().filter(Node::is_element) {
        check_element(node, &mut wrong);
    }
    let targets: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let is_on_page = link.strip_prefix('#').is_some_and(|id| targets.contains(&id));
        if !is_on_page && !link.starts_with("https://") && !link.starts_with("http://") {
            wrong.push(format!("a link leads to {link}"));
        }
    }
    if targets.len() != targets.iter().collect::<std::collections::BTreeSet<_>>().len() {
        wrong.push(format!("an id is there twice: {targets:?}"));
    }
    Ok(wrong)
}

fn check_element(node: Node<'_, '_>, wrong: &mut Vec<String>) {
    let name = node.tag_name().name();
    if !ELEMENTS.contains(&name) {
        wrong.push(format!("an element {name}"));
    }
    for attribute in node.attributes() {
        // An image in `img` cannot run scripts, and is part of the page.
        if attribute.name() == "src" && !(name == "img" && attribute.value().starts_with("data:image/")) {
            wrong.push(format!("{name} loads {}", attribute.value()));
        }
        let is_known = ATTRIBUTES.contains(&attribute.name());
        if !is_known || attribute.name().starts_with("on") || attribute.name() == "style" {
            wrong.push(format!("{name} has {}=\"{}\"", attribute.name(), attribute.value()));
        }
    }
    if name == "meta" && node.attribute("http-equiv").is_some_and(|what| what != "Content-Security-Policy") {
        wrong.push("a meta element acts".to_owned());
    }
}

#[test]
fn faults_of_a_page_are_detected() {
    let page = super::run::olmap(&["report", "demo/catalog"]).exits(0).out;
    assert_eq!(page_faults(&page), Vec::<String>::new());
    for (from, to, what) in [
        ("<h1>", "<h1 onclick=\"x\">", "onclick"),
        ("<h1>", "<h1 style=\"x\">", "style"),
        ("<h1>", "<img src=\"x\"/><h1>", "img"),
        ("<h1>", "<br><h1>", "well-formed"),
        ("<h1>", "<script>x</script><h1>", "not one script"),
        ("href=\"#overview\"", "href=\"javascript:x\"", "leads to"),
        ("href=\"#overview\"", "href=\"#nowhere\"", "leads to"),
        ("'use strict'", "'use  strict'", "the policy is"),
        ("color-scheme: light dark", "color-scheme: dark light", "the policy is"),
        ("base-uri 'none'", "base-uri *", "the policy is"),
    ] {
        let other = page.replacen(from, to, 1);
        assert_ne!(other, page, "{from}");
        assert!(page_faults(&other).concat().contains(what), "{to}: {:?}", page_faults(&other));
    }
}
