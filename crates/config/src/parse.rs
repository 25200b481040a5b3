//! One text or value read by itself, as the only layer and with no file behind it.

use std::path::Path;
use std::sync::Arc;

use toolgate_types::config::Config;
use toolgate_types::{ConfigSource, Layer, LayerGrade};

use crate::check;
use crate::expand::{ExpansionSources, NO_SECRETS};
use crate::fingerprint::FileLook;
use crate::layer::{LayerStandpoint, LayeredConfig, read_layer};
use crate::problem::{Problem, Problems};
use crate::shape::ConfigShape;
use crate::tree::{ConfigDocument, ConfigFormat};
use toolgate_types::Variables;

/// Reads a value strictly: any error fails, and all of them are reported together.
pub fn parse_mcp_config(value: &serde_json::Value) -> Result<Config, Problems> {
    // Pretty-printed, so that the lines of the problems lead somewhere.
    let text = format!("{value:#}");
    let (config, problems) = read_text(&text, ConfigFormat::Json, None, &Variables::new());
    Problems::refuse_errors(&problems)?;
    Ok(config)
}

/// Reads a text leniently: what is good of it, and every problem. The shape is told by its keys
/// unless it is given.
pub fn read_text(
    text: &str,
    format: ConfigFormat,
    shape: Option<ConfigShape>,
    variables: &Variables,
) -> (Config, Vec<Problem>) {
    let document = match ConfigDocument::parse(Arc::new(ConfigSource::Overrides), format, text) {
        Ok(document) => document,
        Err(problems) => return (Config::default(), problems),
    };
    let shape = shape.unwrap_or_else(|| ConfigShape::of_keys(format, &document.root));
    // No folder stands behind a value, so no file is looked at.
    let root = Path::new("");
    let (layer, grade) = (Layer::Runtime, LayerGrade::Person);
    let sources = ExpansionSources { variables, secrets: &NO_SECRETS };
    let look = FileLook::EachEntry;
    let standpoint = LayerStandpoint { layer, grade, shape, sources, root, workspace: root, look };
    let (layered, mut problems) = read_layer(&LayeredConfig::default(), &document, standpoint);
    let mut layered = layered.unwrap_or_default();
    check::references(&mut layered, &mut problems);
    check::production(&mut layered, variables, &mut problems);
    (layered.config, problems)
}
