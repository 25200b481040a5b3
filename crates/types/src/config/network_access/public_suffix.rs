//! Names below which strangers get names of their own, so that allowing all below one allows anybody.
//!
//! Not the Public Suffix List, which would be a quarter of a megabyte for one check of a person's own
//! settings: every top-level domain, second levels of countries by their usual words, and well-known
//! hosts of other people's sites. What is missing here is the person's own wide choice; what TLS and
//! the registries allow is not prevented by a list either.

use super::HostName;

/// `co.uk`, `com.au`, `ac.jp` and their like.
const SECOND_LEVELS: [&str; 22] = [
    "ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "gv", "id", "info", "ltd", "me", "mil",
    "ne", "net", "nom", "or", "org", "plc", "sch", "web",
];

/// Where everybody can have a name for a site, a bucket or a tunnel; and names that lead to whatever
/// address they spell.
const SHARED_HOSTS: [&str; 52] = [
    "amazonaws.com",
    "appspot.com",
    "azureedge.net",
    "azurefd.net",
    "azurewebsites.net",
    "blob.core.windows.net",
    "blogspot.com",
    "cloudapp.net",
    "cloudflare.net",
    "cloudfront.net",
    "codeberg.page",
    "core.windows.net",
    "deno.dev",
    "digitaloceanspaces.com",
    "duckdns.org",
    "dyndns.org",
    "elasticbeanstalk.com",
    "fastly.net",
    "firebaseapp.com",
    "firebaseio.com",
    "fly.dev",
    "github.dev",
    "github.io",
    "githubpreview.dev",
    "gitlab.io",
    "glitch.me",
    "herokuapp.com",
    "hf.space",
    "localtest.me",
    "loca.lt",
    "lvh.me",
    "myshopify.com",
    "netlify.app",
    "ngrok-free.app",
    "ngrok-free.dev",
    "ngrok.app",
    "ngrok.dev",
    "ngrok.io",
    "nip.io",
    "onrender.com",
    "pages.dev",
    "r2.dev",
    "railway.app",
    "replit.app",
    "replit.dev",
    "run.app",
    "sslip.io",
    "supabase.co",
    "surge.sh",
    "trycloudflare.com",
    "vercel.app",
    "workers.dev",
];

pub(super) fn is_public_suffix(name: &HostName) -> bool {
    let labels: Vec<&str> = name.labels().collect();
    match labels.as_slice() {
        [_] => true,
        [second, top] if top.len() == 2 && SECOND_LEVELS.contains(second) => true,
        _ => SHARED_HOSTS.contains(&name.as_str()) || is_regional(&labels),
    }
}

/// `s3.eu-west-1.amazonaws.com` is as much everybody's as what is above it.
fn is_regional(labels: &[&str]) -> bool {
    let is_service = |label: &str| label.starts_with("s3") || label.starts_with("execute-api");
    matches!(labels, [service, .., "amazonaws", "com"] if is_service(service))
}
