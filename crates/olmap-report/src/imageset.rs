//! Image set configurations and lists of images.

use serde::Serialize;

use super::escape;
use olm_plan::{
    image_set::{ImageSet, RequiredImage},
    mirror::{ChannelRule, PackageRule, Section},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Configuration<'a> {
    api_version: &'static str,
    kind: &'static str,
    mirror: Mirror<'a>,
}

#[derive(Serialize)]
struct Mirror<'a> {
    operators: Vec<Operator<'a>>,
}

#[derive(Serialize)]
struct Operator<'a> {
    catalog: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    full: bool,
    packages: Vec<Package<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_channel: Option<&'a str>,
    channels: Vec<Channel<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Channel<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_version: Option<&'a str>,
}

impl<'a> Operator<'a> {
    fn from_section(section: &'a Section) -> Self {
        Self {
            catalog: &section.catalog,
            full: section.full,
            packages: section.packages.iter().map(Package::from_package_rule).collect(),
        }
    }
}

impl<'a> Package<'a> {
    fn from_package_rule(rule: &'a PackageRule) -> Self {
        Self {
            name: rule.name.as_str(),
            default_channel: rule.default_channel.as_ref().map(AsRef::as_ref),
            channels: rule.channels.iter().map(Channel::from_channel_rule).collect(),
        }
    }
}

impl<'a> Channel<'a> {
    fn from_channel_rule(rule: &'a ChannelRule) -> Self {
        Self {
            name: rule.name.as_str(),
            min_version: rule.range.min.as_ref().map(|bound| bound.text.as_str()),
        }
    }
}

/// Renders an `ImageSetConfiguration` of oc-mirror v2, with `comments` at the top.
///
/// # Errors
///
/// Fails if the YAML library fails, which is not expected.
pub fn render_image_set(set: &ImageSet, comments: &[String]) -> Result<String, serde_yaml::Error> {
    let configuration = Configuration {
        api_version: "mirror.openshift.io/v2alpha1",
        kind: "ImageSetConfiguration",
        mirror: Mirror {
            operators: set.sections.iter().map(|(_, section)| Operator::from_section(section)).collect(),
        },
    };
    let comments = comments.iter().map(|comment| format!("# {}\n", escape::escape_line(comment)));
    Ok(comments.collect::<String>() + &serde_yaml::to_string(&configuration)?)
}

/// Renders one image per line, followed by a tab and the bundles that need it.
pub fn list_needed_images(needed: &[RequiredImage]) -> String {
    let line = |needed: &RequiredImage| {
        let by: Vec<&str> = needed.by.iter().map(olm_catalog::BundleName::as_str).collect();
        format!("{}\t{}\n", escape::escape_line(&needed.image), escape::escape_line(&by.join(" ")))
    };
    needed.iter().map(line).collect()
}
