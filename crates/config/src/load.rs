//! Loads a configuration: finds the layers, reads them low to high, checks the whole.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_types::config::{Config, Profile};
use toolgate_types::{
    ConfigSource, EntryKind, Layer, LayerGrade, SecretName, SecretSource, ServerId,
};
use tracing::debug;

use crate::check;
use crate::discover::{self, VariableNames, discover_mcp_config_path, root_of};
use crate::expand::{ExpansionSources, FoundSecrets, NO_SECRETS};
use crate::failed_layer::FailedLayer;
use crate::fingerprint::{FileLook, NamedFiles};
use crate::given_step::GivenStep;
use crate::layer::{LayerStandpoint, LayeredConfig, RejectedEntry, read_layer};
use crate::lock;
use crate::named::named_in;
use crate::problem::{Problem, Problems};
use crate::shape::ConfigShape;
use crate::text::{file_problem, format_of, read_document};
use crate::tree::{ConfigDocument, ConfigFormat};
use toolgate_types::Variables;

/// What a load starts from. Nothing else is looked at: no process environment, no `$HOME`.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// The workspace; discovery walks up from here.
    pub cwd: PathBuf,
    /// An explicit project file, relative to `cwd`.
    pub path: Option<PathBuf>,
    /// The environment variables that count, `HOME` among them.
    pub env: Variables,
    /// Where the secrets are kept that entries name; asked with each load.
    pub secrets: Option<Arc<dyn SecretSource>>,
    /// Inline JSON of the highest layer.
    pub overrides: Option<serde_json::Value>,
    /// Bundles that the run gives to single steps of workflows, above all layers.
    pub given_steps: Vec<GivenStep>,
    /// Whose word the overrides are: the embedding program's, unless said otherwise.
    pub overrides_grade: LayerGrade,
    /// Whose word inline JSON in the environment is. A cloned file may have set it.
    pub environment_grade: LayerGrade,
    /// Read one layer only, as it stands in its own file. References into others are not checked.
    pub only: Option<Layer>,
    /// Hold the configuration to profile `production-http`, whatever it says.
    pub strict: bool,
}

impl LoadOptions {
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            path: None,
            env: Variables::new(),
            secrets: None,
            overrides: None,
            given_steps: Vec::new(),
            overrides_grade: LayerGrade::Person,
            environment_grade: LayerGrade::Project,
            only: None,
            strict: false,
        }
    }

    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.env.get("HOME").map(PathBuf::from)
    }
}

/// One source that was read, low to high.
#[derive(Debug, Clone)]
pub struct LoadedSource {
    pub layer: Layer,
    pub grade: LayerGrade,
    pub source: Arc<ConfigSource>,
    pub shape: ConfigShape,
}

/// What a load found: the good, the rejected, and every problem.
#[derive(Debug, Clone)]
pub struct McpConfigLoadResult {
    pub config: Config,
    pub sources: Vec<LoadedSource>,
    pub rejected: Vec<RejectedEntry>,
    /// Layers that count for nothing, since they could not be read as a whole.
    pub failed: Vec<FailedLayer>,
    pub problems: Vec<Problem>,
    /// Warnings of what is written and nothing goes by yet.
    pub not_yet: Vec<Problem>,
    /// The folder that project-grade entries belong to.
    pub project_root: PathBuf,
    /// The project file, if there is one.
    pub project_file: Option<PathBuf>,
    /// Where the global file is, or would be.
    pub global_file: Option<PathBuf>,
    /// The variables that anything in it takes from the environment, set or not.
    pub variables: BTreeSet<String>,
    unwatched: HashMap<(EntryKind, String), Vec<String>>,
    secrets: HashMap<(EntryKind, String), BTreeSet<SecretName>>,
}

impl McpConfigLoadResult {
    /// The person's own file, where it is there and cannot be read. Its rules would hold for
    /// everything, so that nothing can be decided without them.
    pub fn own_file_failed(&self) -> Option<&FailedLayer> {
        self.failed.iter().find(|failed| failed.layer == Layer::Global)
    }

    /// Where these entries run, and whose files count, for a second look at them.
    pub fn named_files(&self, options: &LoadOptions) -> NamedFiles {
        NamedFiles::new(&self.project_root, &options.cwd, &options.env)
    }

    /// What of an entry can change after it was accepted without anybody being asked again, in
    /// sentences for the person who decides.
    pub fn unwatched(&self, kind: EntryKind, id: &str) -> &[String] {
        self.unwatched.get(&(kind, id.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The secrets that an entry names.
    pub fn secrets_of(&self, kind: EntryKind, id: &str) -> impl Iterator<Item = &SecretName> {
        self.secrets.get(&(kind, id.to_owned())).into_iter().flatten()
    }

    /// The secrets that entries name, kept or not.
    pub fn named_secrets(&self) -> BTreeSet<&SecretName> {
        self.secrets.values().flatten().collect()
    }

    /// The entries that name a secret, whether they can be used or not.
    pub fn users_of(&self, secret: &SecretName) -> BTreeSet<(EntryKind, &str)> {
        let users = self.secrets.iter().filter(|(_, named)| named.contains(secret));
        users.map(|((kind, id), _)| (*kind, id.as_str())).collect()
    }
}

/// Loads strictly: any error fails, and all of them are reported together.
pub async fn load_mcp_config(options: LoadOptions) -> Result<McpConfigLoadResult, Problems> {
    let loaded = tokio::task::spawn_blocking(move || load(&options)).await;
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    };
    Problems::refuse_errors(&loaded.problems)?;
    Ok(loaded)
}

/// Loads leniently: a bad entry is rejected by itself, a bad file by itself, the rest stands.
pub fn load(options: &LoadOptions) -> McpConfigLoadResult {
    load_with(options, FileLook::EachEntry)
}

/// The same without a look at the files that entries name, which is most of the work: for whoever only
/// goes by what is written. Of such a load nothing is accepted, compared or started.
pub fn load_written(options: &LoadOptions) -> McpConfigLoadResult {
    load_with(options, FileLook::None)
}

fn load_with(options: &LoadOptions, look: FileLook) -> McpConfigLoadResult {
    let mut loading = ConfigLoading::new(options, look);
    let wanted = |layer: Layer| options.only.is_none_or(|only| only == layer);
    if wanted(Layer::Global) {
        loading.global();
    }
    if wanted(Layer::Project) {
        loading.project();
    }
    if wanted(Layer::Environment) {
        loading.environment();
    }
    if wanted(Layer::Runtime) {
        loading.overrides();
    }
    let loaded = loading.finish();
    for LoadedSource { layer, grade, source, .. } in &loaded.sources {
        debug!(layer = layer.as_str(), ?grade, %source, "configuration read");
    }
    let (servers, rejected) = (loaded.config.servers.len(), loaded.rejected.len());
    debug!(servers, rejected, problems = loaded.problems.len(), "configuration loaded");
    loaded
}

/// The file of a layer and the shape that its variable says it has.
#[derive(Debug, Clone)]
pub struct LayerFile {
    pub path: PathBuf,
    pub shape: Option<ConfigShape>,
}

/// The person's own file, whether it exists or not.
pub fn global_file(options: &LoadOptions) -> Option<LayerFile> {
    let (path, variable) = discover::global_path(&options.env)?;
    let by_alias = variable == Some(VariableNames::GLOBAL_FILE.alias);
    let path = options.cwd.join(path);
    Some(LayerFile { shape: shape_of(&path, by_alias.then_some(ConfigShape::Codelia)), path })
}

/// The project file that counts: the explicit path, the variable's, or the discovered one.
pub fn project_file(options: &LoadOptions) -> Option<LayerFile> {
    let named = |path: &Path, shape| {
        let path = options.cwd.join(path);
        Some(LayerFile { shape: shape_of(&path, shape), path })
    };
    if let Some(path) = &options.path {
        return named(path, None);
    }
    if let Some((name, path)) = VariableNames::PROJECT_FILE.lookup(&options.env) {
        let by_alias = name == VariableNames::PROJECT_FILE.alias;
        return named(Path::new(path), by_alias.then_some(ConfigShape::ToolLoop));
    }
    named(&discover_mcp_config_path(&options.cwd, options.home().as_deref())?, None)
}

/// What name and variable say of a file's shape, as far as its format can have that shape.
fn shape_of(path: &Path, by_variable: Option<ConfigShape>) -> Option<ConfigShape> {
    by_variable
        .or_else(|| ConfigShape::of_file_name(path))
        .filter(|shape| fits(*shape, format_of(path)))
}

struct ConfigLoading<'a> {
    options: &'a LoadOptions,
    look: FileLook,
    secrets: FoundSecrets,
    layered: LayeredConfig,
    sources: Vec<LoadedSource>,
    failed: Vec<FailedLayer>,
    problems: Vec<Problem>,
    root: PathBuf,
    project_file: Option<LayerFile>,
    global_file: Option<LayerFile>,
    variables: BTreeSet<String>,
}

impl<'a> ConfigLoading<'a> {
    fn new(options: &'a LoadOptions, look: FileLook) -> Self {
        let project = project_file(options);
        let file = project.as_ref().map(|file| file.path.as_path());
        let root = file.map_or_else(|| options.cwd.clone(), |file| root_for(&options.cwd, file));
        Self {
            options,
            look,
            secrets: options.secrets.as_ref().map_or(NO_SECRETS, |source| source.read()),
            layered: LayeredConfig::default(),
            sources: Vec::new(),
            failed: Vec::new(),
            problems: Vec::new(),
            root,
            project_file: project,
            global_file: global_file(options),
            variables: BTreeSet::new(),
        }
    }

    fn global(&mut self) {
        let Some(file) = self.global_file.clone() else { return };
        let named = VariableNames::GLOBAL_FILE.lookup(&self.options.env).is_some();
        if named || !is_missing(&file.path) {
            let folder = file.path.parent().map_or_else(PathBuf::new, Path::to_owned);
            self.file(&file, Layer::Global, LayerGrade::Person, &folder);
        }
    }

    fn project(&mut self) {
        let Some(file) = self.project_file.clone() else { return };
        // The person's own file stays theirs when a walk or a flag happens to find it again.
        if self.global_file.as_ref().is_some_and(|global| same_file(&global.path, &file.path)) {
            return;
        }
        let root = self.root.clone();
        self.file(&file, Layer::Project, LayerGrade::Project, &root);
    }

    fn environment(&mut self) {
        let Some((name, text)) = VariableNames::INLINE_JSON.lookup(&self.options.env) else {
            return;
        };
        let source = Arc::new(ConfigSource::Env(name));
        let shape = (name == VariableNames::INLINE_JSON.alias).then_some(ConfigShape::ToolLoop);
        let text = text.to_owned();
        let grade = self.options.environment_grade;
        self.document(Layer::Environment, grade, shape, source, &text);
    }

    fn overrides(&mut self) {
        let Some(overrides) = &self.options.overrides else { return };
        let text = overrides.to_string();
        let grade = self.options.overrides_grade;
        self.document(Layer::Runtime, grade, None, Arc::new(ConfigSource::Overrides), &text);
    }

    fn file(&mut self, file: &LayerFile, layer: Layer, grade: LayerGrade, root: &Path) {
        if is_missing(&file.path) {
            let source = Arc::new(ConfigSource::File(file.path.clone()));
            let message = "the file does not exist".to_owned();
            let help = "name an existing file, or leave the path out to search for one";
            return self.fail(layer, vec![file_problem(source, "missing-file", message, help)]);
        }
        match read_document(&file.path) {
            Ok(document) => self.layer(&document, layer, grade, file.shape, root),
            Err(problems) => self.fail(layer, problems),
        }
    }

    fn document(
        &mut self,
        layer: Layer,
        grade: LayerGrade,
        shape: Option<ConfigShape>,
        source: Arc<ConfigSource>,
        text: &str,
    ) {
        let root = self.root.clone();
        match ConfigDocument::parse(source, ConfigFormat::Json, text) {
            Ok(document) => self.layer(&document, layer, grade, shape, &root),
            Err(problems) => self.fail(layer, problems),
        }
    }

    /// Nothing of a layer counts, for these reasons.
    fn fail(&mut self, layer: Layer, problems: Vec<Problem>) {
        self.failed.extend(FailedLayer::of(layer, &problems));
        self.problems.extend(problems);
    }

    fn layer(
        &mut self,
        document: &ConfigDocument,
        layer: Layer,
        grade: LayerGrade,
        shape: Option<ConfigShape>,
        root: &Path,
    ) {
        let shape = shape.unwrap_or_else(|| ConfigShape::of_keys(document.format, &document.root));
        named_in(document, &mut self.variables);
        let LoadOptions { env: variables, cwd, .. } = self.options;
        // What a project names is run in the workspace; nothing of a person's own is looked at there.
        let workspace = if layer == Layer::Global { root } else { cwd };
        let sources = ExpansionSources { variables, secrets: &self.secrets };
        let look = self.look;
        let standpoint = LayerStandpoint { layer, grade, shape, sources, root, workspace, look };
        let (layered, problems) = read_layer(&self.layered, document, standpoint);
        let Some(layered) = layered else { return self.fail(layer, problems) };
        self.problems.extend(problems);
        self.layered = layered;
        let source = Arc::clone(&document.source);
        self.sources.push(LoadedSource { layer, grade, source, shape });
    }

    fn finish(mut self) -> McpConfigLoadResult {
        if self.options.only.is_none() {
            check::references(&mut self.layered, &mut self.problems);
            // Later: what a run gives makes no file wrong.
            self.options.given_steps.iter().for_each(|step| step.give(&mut self.layered.config));
            let (lock, problems) = lock::read(&self.root);
            self.layered.config.lock = lock;
            self.layered.config.project_root = Some(self.root.clone());
            let files = NamedFiles::new(&self.root, &self.options.cwd, &self.options.env);
            self.layered.config.second_look = Some(Arc::new(files));
            self.problems.extend(problems);
        }
        self.surface();
        if self.options.strict {
            self.layered.config.profile = Profile::ProductionHttp;
        }
        check::production(&mut self.layered, &self.options.env, &mut self.problems);
        self.layered.config.kept_secrets = self.secrets.unwrap_or_default();
        let rejected = self.layered.rejected.keys();
        let servers = rejected.filter(|(kind, _)| *kind == EntryKind::Server);
        self.layered.config.other_ids =
            servers.filter_map(|(_, id)| ServerId::parse(id).ok()).collect();
        McpConfigLoadResult {
            variables: self.variables,
            unwatched: self.layered.unwatched,
            secrets: self.layered.secrets,
            not_yet: self.layered.not_yet,
            config: self.layered.config,
            sources: self.sources,
            failed: self.failed,
            rejected: self.layered.rejected.into_values().collect(),
            problems: self.problems,
            project_root: self.root,
            project_file: self.project_file.map(|file| file.path),
            global_file: self.global_file.map(|file| file.path),
        }
    }

    /// On, unless all there is are files of command tools, where it is opted into.
    fn surface(&mut self) {
        const VARIABLE: &str = "TOOLGATE_ENABLE_MCP_SERVER_SURFACE";
        let only_command_tools = !self.sources.is_empty()
            && self.sources.iter().all(|source| source.shape == ConfigShape::CommandTools);
        let by_variable = match self.options.env.get(VARIABLE).map(|value| value.trim()) {
            None | Some("") => None,
            Some("1" | "true" | "on") => Some(true),
            Some("0" | "false" | "off") => Some(false),
            Some(_) => {
                let source = Arc::new(ConfigSource::Env(VARIABLE));
                let message = "neither true nor false".to_owned();
                let help = "use `true` or `false`";
                self.problems.push(file_problem(source, "wrong-type", message, help));
                None
            }
        };
        self.layered.config.gateway.enable_mcp_server_surface =
            by_variable.or(self.layered.surface).unwrap_or(!only_command_tools);
    }
}

/// The folder that project-grade entries belong to. A file that was named may lie anywhere, also in
/// another project: what was accepted there says nothing about what its words mean in this workspace.
fn root_for(workspace: &Path, file: &Path) -> PathBuf {
    let root = root_of(file);
    let speaks_for = match (workspace.canonicalize(), root.canonicalize()) {
        (Ok(workspace), Ok(root)) => workspace.starts_with(root),
        _ => false,
    };
    if speaks_for { root } else { workspace.to_owned() }
}

fn fits(shape: ConfigShape, format: ConfigFormat) -> bool {
    match shape {
        ConfigShape::Native => true,
        ConfigShape::ToolLoop | ConfigShape::Codelia => format == ConfigFormat::Json,
        ConfigShape::CommandTools | ConfigShape::Codex => format == ConfigFormat::Toml,
    }
}

/// A file that cannot be reached is not missing: reading it says what is wrong.
fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
