//! Macro for the table of rules: each rule takes three or four lines.

/// Defines a `static` for each rule and a list of all rules in order. The check functions must be
/// in scope.
///
/// The parity is `opm` if `opm validate` rejects the same input, and `ours` if only olmap reports
/// it. The last line has the properties of [`RuleProperty`](super::rule::RuleProperty), if there are any.
macro_rules! rules {
    ($all:ident: $($name:ident: $id:literal $severity:ident $parity:ident $kind:ident($($check:tt)*)
        $title:literal $help:literal $([$($property:ident $(($of:literal))?),*])?;)*) => {
        $(
            #[doc = $title]
            #[allow(rustdoc::invalid_html_tags, reason = "a title is what people read, not markup")]
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                parity: rules!(@parity $parity),
                title: $title,
                help: $help,
                check: Check::$kind($($check)*),
                story: include_str!(concat!("../assets/rules/", $id, ".md")),
                properties: &[$($(RuleProperty::$property $(($of))?),*)?],
            };
        )*

        /// All rules of this table, in order.
        pub(super) const $all: &[&Rule] = &[$(&$name),*];
    };
    (@parity opm) => { true };
    (@parity ours) => { false };
}

pub(super) use rules;
