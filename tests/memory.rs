//! Growth of memory with the input. Three times as many copies of a repeated part take three times
//! the memory, and the memory per byte is limited. The same holds for answers about long channels.
//! There is one test, because all tests of a program share the allocator.
//!
//! `crates/olm-catalog/src/text/yaml/cost_tests.rs` counts steps, and the fuzz target `cost` measures time.

use std::ops::ControlFlow;

use olm_catalog::{
    Catalog, load,
    rendering::{self, RenderSource},
    text::canonical::RenderFormat,
};
use olm_check::review::Snapshot;
use olm_plan::{
    planner::{AllPlans, PlanCatalogs, PlanSettings},
    series::Release,
};
use olm_upgrade::{Engine, openshift::OpenShift};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Document with a repeated part.
struct Shape {
    before: &'static str,
    /// Repeated part; `@` becomes the number of the copy.
    repeated: &'static str,
    /// Maximum bytes of memory per byte of input.
    max_bytes: usize,
}

const SHAPES: &[Shape] = &[
    Shape { before: "", repeated: "---\nschema: x\n", max_bytes: 20 },
    Shape { before: "", repeated: "---\nschema: x\npackage: p\n", max_bytes: 12 },
    Shape { before: "", repeated: "---\n", max_bytes: 64 },
    Shape { before: "", repeated: "---\nfoo: x\n", max_bytes: 12 },
    Shape { before: "", repeated: "---\na: [\n", max_bytes: 12 },
    Shape { before: "", repeated: "{\"schema\":\"x\"}\n", max_bytes: 20 },
    Shape { before: "{\"a\":1}", repeated: "{}", max_bytes: 60 },
    Shape { before: "schema: olm.package\nname: p\n", repeated: "a: 1\n", max_bytes: 64 },
    Shape { before: "schema: olm.package\nname: p\n", repeated: "k@: 1\n", max_bytes: 36 },
    Shape { before: "schema: x\nl:\n", repeated: "- a\n", max_bytes: 48 },
    Shape { before: "schema: x\nl:\n", repeated: "- a: 1\n", max_bytes: 48 },
    Shape { before: "schema: x\nl:\n", repeated: "- &a@ x\n", max_bytes: 20 },
    Shape { before: "schema: x\nl: [a", repeated: ",a", max_bytes: 44 },
    Shape {
        before: "schema: olm.channel\nname: c\npackage: p\nentries:\n",
        repeated: "- a\n",
        max_bytes: 48,
    },
    Shape {
        before: "schema: olm.channel\nname: c\npackage: p\nentries:\n",
        repeated: "- {}\n",
        max_bytes: 130,
    },
];

impl Shape {
    fn repeat_text(&self, copies: usize) -> String {
        let mut text = self.before.to_owned();
        text.extend((0..copies).map(|n| self.repeated.replace('@', &n.to_string())));
        text
    }
}

/// Returns the peak memory of a computation with its result.
fn peak_of<T>(compute: impl FnOnce() -> T) -> usize {
    MEMORY.reset_peak_usage();
    let held = MEMORY.current_usage();
    let _result = compute();
    MEMORY.peak_usage().saturating_sub(held)
}

/// Returns the peak memory for loading and checking a catalog, without its text.
fn peak_memory(text: &str) -> usize {
    let bytes = text.as_bytes().to_vec();
    peak_of(|| Snapshot::new(load::from_bytes(bytes)))
}

/// Returns a catalog with one channel, in which each entry replaces the previous one.
fn chain_catalog(entries: usize) -> Catalog {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n\
                    entries:\n"
            .to_owned();
    for at in 0..entries {
        text += &format!("- name: p.v1.{at}.0\n");
        if let Some(before) = at.checked_sub(1) {
            text += &format!("  replaces: p.v1.{before}.0\n");
        }
    }
    for at in 0..entries {
        text += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v1.{at}.0\nimage: example.com/p:{at}\nproperties:\n\
             - type: olm.package\n  value:\n    packageName: p\n    version: 1.{at}.0\n"
        );
    }
    load::from_bytes(text.into_bytes())
}

/// Returns the peak memory of the plans of all versions, over two catalogs. In the second one they arrive, or
/// the package has only its first entry.
fn peak_of_plans(entries: usize, arrive: bool) -> usize {
    let release = |minor: u64, catalog| Release {
        openshift: Some(OpenShift { major: 4, minor }),
        label: String::new(),
        catalog,
    };
    let second = chain_catalog(if arrive { entries } else { 1 });
    let world = PlanCatalogs::new(&[release(18, chain_catalog(entries)), release(19, second)], |_| true);
    peak_of(|| AllPlans::new(&world, &[PlanSettings::new(Engine::Classic), PlanSettings::new(Engine::V1)]))
}

/// Returns the peak memory of rendering a catalog with documents of a kilobyte, without the catalog.
fn peak_of_rendering(documents: usize) -> usize {
    let filling = "x".repeat(1000);
    let document = |at| {
        let head = format!("{{\"schema\":\"example.com/x\",\"package\":\"p{at}\",\"name\":\"n\",");
        format!("{head}\"filling\":\"{filling}\"}}\n")
    };
    let text: Vec<String> = (0..documents).map(document).collect();
    let catalog = load::from_bytes(text.concat().into_bytes());
    let sources = [RenderSource { catalog: &catalog, is_normalized: false }];
    let mut written = 0;
    let peak = peak_of(|| {
        rendering::render_in_parts(&sources, RenderFormat::Yaml, |part| {
            written += part.len();
            ControlFlow::Continue(())
        })
    });
    assert!(written > documents * 1000, "{written}");
    peak
}

#[test]
fn memory_grows_with_the_input() {
    // More documents than are decoded at a time, and more findings than are listed.
    const COPIES: usize = 17_000;
    // Lazily initialized values are excluded.
    peak_memory(&SHAPES[0].repeat_text(10));
    for shape in SHAPES {
        let (short, long) = (shape.repeat_text(COPIES), shape.repeat_text(3 * COPIES));
        let (little, much) = (peak_memory(&short), peak_memory(&long));
        let name = format!("{:?} after {:?}", shape.repeated, shape.before);
        let (short, long) = (short.len(), long.len());
        assert!(much <= 4 * little, "{name}: {little} bytes for {short}, {much} for {long}");
        let more = much.saturating_sub(little) / (long - short);
        assert!(more <= shape.max_bytes, "{name}: {more} bytes for each more than {short}");
    }
    // Only a part of the output is in memory: less than the shorter input.
    let (little, much) = (peak_of_rendering(25_000), peak_of_rendering(75_000));
    assert!(much <= 2 * little && much < 25_000_000, "rendering: {little} bytes for 25 MB, {much} for 75 MB");
    for arrive in [true, false] {
        let (little, much) = (peak_of_plans(300, arrive), peak_of_plans(900, arrive));
        assert!(much <= 4 * little, "plans ({arrive}): {little} bytes for 300 entries, {much} for 900");
    }
}
