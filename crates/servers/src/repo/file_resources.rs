//! The files of the folder as resources, by a template: there are too many to list them.

use async_trait::async_trait;
use toolgate_types::{
    OfferedTemplate, ResourcePage, ResourceProvider, ResourceRefusal, ResourceText,
};

use super::{ReadFile, RepoRefusal, RepoServer};
use crate::path_uri::path_of_uri;

const SCHEME: &str = "repo";

pub(super) struct FileResources(pub(super) RepoServer);

#[async_trait]
impl ResourceProvider for FileResources {
    async fn list(&self, _: Option<&str>) -> Result<ResourcePage, ResourceRefusal> {
        Ok(ResourcePage::default())
    }

    fn templates(&self) -> Vec<OfferedTemplate> {
        vec![OfferedTemplate {
            uri_template: "repo:///{+path}",
            name: "file",
            title: "A file of the folder",
            description: "A text file by its path, relative to the folder, as `read_file` gives it.",
            mime: None,
        }]
    }

    async fn read(&self, uri: &str) -> Result<ResourceText, ResourceRefusal> {
        let unknown = || ResourceRefusal::NotFound(uri.to_owned());
        let path = path_of_uri(SCHEME, uri).ok_or_else(unknown)?;
        match self.0.call(ReadFile { path, start_line: None, end_line: None }).await {
            Ok(file) => {
                let hint = file.hint.map(|hint| format!("\n[{hint}]")).unwrap_or_default();
                let text = file.text + &hint;
                Ok(ResourceText { uri: uri.to_owned(), mime: "text/plain", text })
            }
            Err(RepoRefusal::Absent(_)) => Err(unknown()),
            Err(refusal) => Err(ResourceRefusal::Refused(refusal.to_string())),
        }
    }
}
