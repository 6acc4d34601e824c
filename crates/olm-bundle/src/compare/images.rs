//! Matches the images of two bundles, because a bundle may list many versions of one image.

use std::collections::{HashMap, HashSet};

use super::Row;

/// Assigns keys to the images of two bundles. Common images match wherever they are listed; other images match
/// by name and repository, in order.
pub(super) fn assign_keys(mut old: Vec<Row>, mut new: Vec<Row>) -> (Vec<Row>, Vec<Row>) {
    let values = |rows: &[Row]| rows.iter().map(|row| row.value.clone()).collect::<HashSet<_>>();
    let (in_old, in_new) = (values(&old), values(&new));
    for rows in [&mut old, &mut new] {
        let mut known: HashMap<String, usize> = HashMap::new();
        for row in rows.iter_mut() {
            let stays = in_old.contains(&row.value) && in_new.contains(&row.value);
            let key = if stays {
                format!("{} {}", row.label, row.value)
            } else {
                format!("{} {} ", row.label, without_tag_and_digest(&row.value))
            };
            let time = known.entry(key.clone()).or_default();
            *time += 1;
            row.key = format!("{key}#{time}");
        }
    }
    (old, new)
}

/// Returns an image without its tag and digest.
fn without_tag_and_digest(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => image,
    }
}
