//! Hostile texts for catalogs, aimed at terminals, readers, CI runners and other programs.

/// Texts by the name of the attack.
pub const STRINGS: &[(&str, &str)] = &[
    ("escapes", "\u{1b}[31mred\u{1b}]0;PWN\u{7}\u{1b}[2J\u{1b}]52;c;YQ==\u{7}\u{8}\u{7f}\r"),
    ("c1", "\u{9b}31m\u{9d}0;PWN\u{9c}\u{85}\u{90}q\u{9c}"),
    ("bidi", "\u{202e}live\u{202c}\u{2066}\u{2067}\u{2069}\u{200e}\u{200f}\u{61c}\u{202a}"),
    (
        "zero width",
        "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}g\u{34f}h\u{fe0f}i\u{e0101}j\u{206a}k",
    ),
    ("blank", "a\u{115f}b\u{1160}c\u{3164}d\u{ffa0}e\u{2800}f\u{180e}g\u{17b4}h\u{1d159}i"),
    ("tags", "\u{e0001}\u{e0041}\u{e0042}\u{e007f}"),
    ("lines", "a\n\n  b\r\nc\u{2028}d\u{2029}e\u{b}f\u{c}g\th"),
    (
        "emoji",
        "\u{26a0}\u{fe0f} \u{1f469}\u{200d}\u{1f4bb} 1\u{fe0f}\u{20e3} e\u{301}\u{302} \u{6f14}\u{7b97}",
    ),
    (
        "workflow",
        "\n::error::INJ\n  ::stop-commands::tok\n ::add-mask::e ##[set-output name=x]y ##[stop-commands]tok",
    ),
    (
        "workflow, folded",
        "::error::INJ1 ::stop-commands::tok ::add-mask::e ::set-output name=a::b ::error::INJ2 ::warning file=a::INJ3 \
         ::debug::x ::group::y ::endgroup:: ::error::INJ4 ::stop-commands::tok ::error::INJ5 ::notice::z ::save-state \
         name=a::b ::error::INJ6 ::add-matcher::x ::error::INJ7",
    ),
    (
        "runners",
        "##vso[task.setvariable variable=a]b ##teamcity[buildStatus text='x'] ##[group]c ###[error]d #\u{591}#[error]e",
    ),
    ("runners, hidden", "\n:\u{200b}:error::x #\u{ad}#[error]y ##\u{2060}vso[task.x]z :\u{591}:error::w"),
    (
        "groups",
        "\n--- a\n+++ b\n~~~ c\n^^^ +++\nsection_start:1:x\r\u{1b}[0Kd\ntravis_fold:start:e\r\u{1b}[0K",
    ),
    (
        "markdown",
        "[x](https://e.example) ![x](https://e.example) @everyone #1 GH-1 www.e.example `x` **b** | c :smile: \\",
    ),
    (
        "html",
        "</details></td><script>alert(1)</script><img src=x onerror=alert(1)> &lt;b&gt; &#x202e; <!-- -->",
    ),
    ("diagrams", "\"]; click n0 \"javascript:alert(1)\" ; end %%{init: {}}%% \\N\\ } digraph {"),
    ("formats", "%n%s%x%0A::error::x {} {0} ${HOME} $(id) `id` ' \" \\u202e \\x1b"),
];

/// Returns combinations of all texts, for every run of the tests.
pub fn few_strings() -> Vec<(String, String)> {
    let joined = |from: usize, to: usize| {
        STRINGS[from..to].iter().map(|(_, text)| *text).collect::<Vec<_>>().join(" ")
    };
    let all = [
        ("acts and hides", joined(0, 8)),
        ("commands", joined(8, 13)),
        ("markup", joined(13, STRINGS.len())),
    ];
    let mut few: Vec<(String, String)> =
        all.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    few.push(("long".to_owned(), "0123456789".repeat(60)));
    few
}

/// Returns the combinations, each text separately, and `rounds` random combinations.
pub fn all_strings(rounds: usize) -> Vec<(String, String)> {
    let each = STRINGS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut all: Vec<(String, String)> = few_strings().into_iter().chain(each).collect();
    all.push(("very long".to_owned(), "0123456789".repeat(500)));
    all.push(("nothing".to_owned(), String::new()));
    all.push(("blanks".to_owned(), "  ".to_owned()));
    // Reproducible random numbers, with the constants of Knuth's generator.
    let mut state = 0x9e37_79b9_u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    for round in 0..rounds {
        let mut text = String::new();
        for _ in 0..below(40) {
            let (_, from) = STRINGS[below(STRINGS.len())];
            let letters: Vec<char> = from.chars().collect();
            let start = below(letters.len());
            text.extend(&letters[start..(start + 1 + below(12)).min(letters.len())]);
        }
        all.push((format!("chance {round}"), text));
    }
    all
}
