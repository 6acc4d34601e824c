use super::run::olmap;

#[test]
fn a_good_catalog_exits_with_0() {
    let run = olmap(&["validate", "demo/catalog", "--parity"]).exits(0);
    assert!(run.out.contains("demo/catalog: 8 packages, 60 bundles: no findings"), "{}", run.out);
}
