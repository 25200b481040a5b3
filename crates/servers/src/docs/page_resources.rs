//! Every page as a resource.

use async_trait::async_trait;
use toolgate_types::{
    OfferedResource, OfferedTemplate, ResourcePage, ResourceProvider, ResourceRefusal, ResourceText,
};

use super::DocsServer;
use crate::path_uri::{path_of_uri, path_uri};
use crate::repo::RepoRefusal;

const SCHEME: &str = "docs";

/// How many are listed at once.
const AT_ONCE: usize = 500;

pub(super) struct PageResources(pub(super) DocsServer);

#[async_trait]
impl ResourceProvider for PageResources {
    /// From the path on that the last list ended with: pages come and go between the two.
    async fn list(&self, cursor: Option<&str>) -> Result<ResourcePage, ResourceRefusal> {
        let after = cursor.map(str::to_owned);
        let listed = self.0.work(move |place, stop| {
            let mut found: Vec<OfferedResource> = Vec::new();
            let (mut count, most) = (0, place.bounds.pages);
            let mut next = None;
            let mut last = None;
            place.pages(stop, &mut |seen, _| {
                count += 1;
                if count > most {
                    return false;
                }
                // A walk comes in order of names, folder by folder, and in the same order each time.
                if let Some(after) = &after
                    && last.is_none()
                {
                    if seen.path == *after {
                        last = Some(());
                        return true;
                    }
                    let before = place.places.place_of(after);
                    let is_later = seen.place > before
                        || seen.place == before && comes_after(&seen.path, after);
                    if !is_later {
                        return true;
                    }
                    last = Some(());
                }
                if found.len() == AT_ONCE {
                    next = found.last().map(|page| page.name.clone());
                    return false;
                }
                let uri = path_uri(SCHEME, &seen.path);
                let (mime, size) = (seen.kind.mime(), Some(seen.mark.size));
                found.push(OfferedResource { uri, name: seen.path, mime, size });
                true
            })?;
            Ok(ResourcePage { resources: found, next })
        });
        listed.await.map_err(|refusal| ResourceRefusal::Refused(refusal.to_string()))
    }

    fn templates(&self) -> Vec<OfferedTemplate> {
        vec![OfferedTemplate {
            uri_template: "docs:///{+path}",
            name: "page",
            title: "A page of documentation",
            description: "Markdown, Rust source or text in the folder, by its path.",
            mime: None,
        }]
    }

    async fn read(&self, uri: &str) -> Result<ResourceText, ResourceRefusal> {
        let unknown = || ResourceRefusal::NotFound(uri.to_owned());
        let path = path_of_uri(SCHEME, uri).ok_or_else(unknown)?;
        let read = self.0.work(move |place, _| place.page(&path)).await;
        match read {
            Ok((_, kind, text)) => {
                Ok(ResourceText { uri: uri.to_owned(), mime: kind.mime(), text })
            }
            Err(RepoRefusal::Absent(_)) => Err(unknown()),
            Err(refusal) => Err(ResourceRefusal::Refused(refusal.to_string())),
        }
    }
}

/// In the order of a walk, which goes by the names of each folder.
fn comes_after(path: &str, other: &str) -> bool {
    path.split('/').gt(other.split('/'))
}
