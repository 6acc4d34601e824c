//! Icons from files.

use std::path::Path;

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};

use crate::cli::failure::Failure;
use olm_catalog::load::regular_file;
use olm_edit::operation::NewIcon;

/// Maximum size of an icon, in bytes.
const MAX_ICON: u64 = 16 << 20;

/// Reads an image for `olm.package`. The file extension determines its type.
pub fn load_icon(file: &Path) -> Result<NewIcon, Failure> {
    let suffix = file.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    let mediatype = match suffix.to_ascii_lowercase().as_str() {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        _ => {
            return Err(Failure::new(format!("{} is not an image type that consoles show", file.display()))
                .with_hint("its name must end in svg, png, jpg, jpeg or gif"));
        }
    };
    let bytes = regular_file::read_regular(file, MAX_ICON)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
    Ok(NewIcon { base64data: STANDARD.encode(bytes), mediatype: mediatype.to_owned() })
}
