//! Cost of an input: sixteen copies take about sixteen times the time and memory, and the memory per input
//! byte is bounded. The bounds are generous, so that noise does not exceed them but quadratic cost does.
#![no_main]

use std::time::Duration;

use arbitrary::Arbitrary;
use cpu_time::ProcessTime;
use libfuzzer_sys::fuzz_target;
use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap_report::graph::render_side_by_side;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Pieces of inputs. `@` becomes the number of the copy.
const PIECES: &[&str] = &[
    "!",
    "!a ",
    "!a",
    "!!a",
    "!<",
    "> ",
    "[",
    "]",
    "{",
    "}",
    "{a: ",
    "- ",
    "? ",
    ": ",
    ",",
    ", ",
    "\"",
    "'",
    "\\'",
    "\\\"",
    "a",
    "@",
    "a@: ",
    "a: ",
    "\n",
    "\n  ",
    "\n    ",
    " ",
    "\t",
    "# ",
    "|",
    ">",
    "|\n  a\n",
    "&a ",
    "&a@ ",
    "*a ",
    "*a@ ",
    "<<: ",
    "<<: *a\n",
    "---\n",
    "...\n",
    "%TAG ! a\n",
    "\r",
    "\u{85}",
    "é",
    "@.0.0",
    "\u{200b}",
    "schema: x\n",
    "name: a@\n",
    "package: p\n",
    "package: p@\n",
    "entries:\n",
    "properties:\n",
    "- name: p.v@.0.0\n",
    "- name: p.v1.0.0\n",
    "  replaces: p.v@.0.0\n",
    "  replaces: p.v0.0.0\n",
    "  skips: [p.v@.0.0]\n",
    "  skips:\n",
    "  - p.v@.0.0\n",
    "  skipRange: <@.0.0\n",
    "  skipRange: '>=@.0.0 <9@.0.0'\n",
    "  skipRange: <1.0.0 || ",
    ">=@.0.0 || ",
    "- {}\n",
    "- type: olm.package\n  value: {packageName: p, version: @.0.0}\n",
    "- type: olm.gvk\n  value: {group: a, kind: K@, version: v1}\n",
    "- type: a@\n  value: @\n",
    "  relatedImages:\n",
    "- {name: a@, image: 'example.com/a:@'}\n",
    "---\nschema: olm.package\nname: p\ndefaultChannel: c0\n",
    "---\nschema: olm.package\nname: p@\ndefaultChannel: c\n",
    "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n",
    "---\nschema: olm.channel\npackage: p\nname: c@\nentries:\n",
    "---\nschema: olm.channel\npackage: p\nname: c@\nentries:\n- name: p.v@.0.0\n",
    "---\nschema: olm.channel\npackage: p\nname: c@\nentries:\n- name: p.v1.0.0\n- name: p.v0.1.0\n  replaces: p.v1.0.0\n",
    "---\nschema: olm.channel\npackage: p@\nname: c\nentries:\n- name: p@.v1.0.0\n",
    "---\nschema: olm.bundle\npackage: p\nname: p.v@.0.0\nimage: a.example/b:c\nproperties:\n- type: olm.package\n  value: {packageName: p, version: @.0.0}\n",
    "---\nschema: olm.bundle\npackage: p@\nname: p@.v1.0.0\nimage: a.example/b:c\nproperties:\n- type: olm.package\n  value: {packageName: p@, version: 1.0.0}\n",
    "---\nschema: olm.deprecations\npackage: p\nentries:\n",
    "- reference: {schema: olm.bundle, name: p.v@.0.0}\n  message: a@\n",
    "- reference: {schema: olm.channel, name: c@}\n  message: a\n",
    "- reference: {schema: olm.package}\n  message: a\n",
    "{\"schema\":\"x\"}",
    "{\"schema\":\"olm.package\",\"name\":\"p@\"}\n",
    "{\"a@\":1,",
    "\"a@\":[1],",
    "{}",
    "1,",
    "\\u0041",
    "schema: olm.semver\n",
    "Stable:\n  Bundles:\n",
    "  - Image: a.example/b:@\n",
    "schema: olm.template.basic\nentries:\n",
];

#[derive(Arbitrary, Debug)]
struct Input {
    before: [u8; 3],
    repeated: [u8; 4],
    after: [u8; 2],
}

/// Approximate size of the short input in bytes; the long input has [`TIMES`] as many copies.
const SHORT: usize = 12 << 10;
const TIMES: usize = 16;

/// Allowed factor above proportional growth.
const SLACK: u32 = 5;
/// Ignored time and memory, because clocks and allocators are coarse.
const NOTHING: Duration = Duration::from_millis(80);
const NO_BYTES: usize = 8 << 20;
/// Maximum bytes of memory per byte of input: two bytes such as `1,` become a value with its location in 56
/// bytes.
const MOST_MEMORY: usize = 120;

impl Input {
    /// Returns the selected pieces; most bytes select none.
    fn some(pieces: &[u8]) -> impl Iterator<Item = &'static str> {
        pieces.iter().filter_map(|piece| PIECES.get(usize::from(*piece)).copied())
    }

    fn text(&self, copies: usize) -> String {
        let number = |piece: &str, n: usize| piece.replace('@', &n.to_string());
        let mut text: String = Self::some(&self.before).map(|piece| number(piece, 0)).collect();
        for n in 0..copies {
            text.extend(Self::some(&self.repeated).map(|piece| number(piece, n)));
        }
        text.extend(Self::some(&self.after).map(|piece| number(piece, 0)));
        text
    }
}

/// Measures time and memory of loading, checking and drawing.
fn cost(text: &str) -> (Duration, usize) {
    let bytes = text.as_bytes().to_vec();
    MEMORY.reset_peak_usage();
    let (start, held) = (ProcessTime::now(), MEMORY.current_usage());
    let snapshot = Snapshot::new(load::from_bytes(bytes));
    let memory = MEMORY.peak_usage().saturating_sub(held);
    for (_, judged) in snapshot.packages() {
        render_side_by_side(&judged.graph, false);
    }
    (start.elapsed(), memory)
}

fuzz_target!(|input: Input| {
    let one = input.text(1).len() - input.text(0).len();
    if one == 0 {
        return;
    }
    let copies = (SHORT / one).max(1);
    let (short, long) = (input.text(copies), input.text(TIMES * copies));
    let too_slow = || {
        let ((short, _), (long, _)) = (cost(&short), cost(&long));
        (long > short * TIMES as u32 * SLACK + NOTHING).then_some((short, long))
    };
    // A single excess may be noise.
    if let (Some(_), Some(_), Some((short, long))) = (too_slow(), too_slow(), too_slow()) {
        panic!("{short:?} and, of {TIMES} times as many copies, {long:?}: {input:?}\n{}", input.text(3));
    }
    let (_, memory) = cost(&long);
    assert!(
        memory <= MOST_MEMORY * long.len() + NO_BYTES,
        "{memory} bytes for {} of {input:?}\n{}",
        long.len(),
        input.text(3)
    );
});
