//! Growth of memory with the input. Three times as many copies of a repeated part take three times
//! the memory, and the memory per byte is limited. There is one test, because all tests of a
//! program share the allocator.
//!
//! `crates/olm-catalog/src/text/yaml/cost_tests.rs` counts steps, and the fuzz target `cost` measures time.

use olm_catalog::load;
use olm_check::review::Snapshot;
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

/// Returns the peak memory for loading and checking a catalog, without its text.
fn peak_memory(text: &str) -> usize {
    let bytes = text.as_bytes().to_vec();
    MEMORY.reset_peak_usage();
    let held = MEMORY.current_usage();
    let _snapshot = Snapshot::new(load::from_bytes(bytes));
    MEMORY.peak_usage().saturating_sub(held)
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
}
