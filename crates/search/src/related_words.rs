//! Words of the trade that mean the same, or nearly: what one says, a tool may call otherwise.
//!
//! Each line is a group; a word finds the others of its groups for less than itself.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::stem::stem;

/// What a short form stands for, as stems; each of its words is meant.
pub(crate) fn long_form(word: &str) -> Option<&'static str> {
    SHORT_FORMS.iter().find(|(short, _)| *short == word).map(|(_, long)| *long)
}

const SHORT_FORMS: &[(&str, &str)] = &[
    ("pr", "pull request"),
    ("prs", "pull requests"),
    ("mr", "merge request"),
    ("mrs", "merge requests"),
    ("k8s", "kubernetes"),
    ("db", "database"),
    ("dbs", "databases"),
    ("repo", "repository"),
    ("repos", "repositories"),
    ("dir", "directory"),
    ("docs", "documentation"),
    ("doc", "document"),
    ("msg", "message"),
    ("env", "environment"),
    ("config", "configuration"),
    ("auth", "authentication"),
    ("app", "application"),
    ("info", "information"),
    ("stats", "statistics"),
    ("img", "image"),
    ("pic", "picture"),
    ("cal", "calendar"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("ppt", "powerpoint"),
    ("xls", "excel"),
    ("xlsx", "excel"),
    ("docx", "word"),
    ("pptx", "powerpoint"),
    ("gdoc", "google document"),
    ("gcal", "google calendar"),
    ("yt", "youtube"),
    ("vm", "virtual machine"),
    ("sms", "text message"),
    ("tts", "text to speech"),
    ("stt", "speech to text"),
    ("ocr", "recognize text image"),
    ("promql", "prometheus query"),
    ("tz", "timezone"),
    ("ram", "memory"),
    ("cpu", "processor"),
    ("cve", "vulnerability"),
    ("vuln", "vulnerability"),
    ("vulns", "vulnerabilities"),
    ("perf", "performance"),
    ("deps", "dependencies"),
    ("dep", "dependency"),
    ("pkg", "package"),
    ("ns", "namespace"),
    ("svc", "service"),
    ("wiki", "page"),
    ("todo", "task"),
    ("todos", "tasks"),
    ("fx", "currency exchange"),
    ("btc", "bitcoin"),
    ("eth", "ethereum"),
];

/// What else a stem may be called, as stems.
pub(crate) fn related(stem: &str) -> &'static [Box<str>] {
    RELATED.get(stem).map(Vec::as_slice).unwrap_or_default()
}

static RELATED: LazyLock<HashMap<Box<str>, Vec<Box<str>>>> = LazyLock::new(|| {
    let mut related: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
    for group in ACTIONS.iter().chain(THINGS) {
        let stems: Vec<Box<str>> = group.split(' ').map(|word| stem(word).into()).collect();
        for one in &stems {
            let others = related.entry(one.clone()).or_default();
            for other in stems.iter().filter(|other| *other != one) {
                if !others.contains(other) {
                    others.push(other.clone());
                }
            }
        }
    }
    related
});

/// Whether it says what is done, and not to what.
pub(crate) fn is_action(stem: &str) -> bool {
    ACTION_STEMS.contains(stem)
}

static ACTION_STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| COMMON_ACTIONS.split(' ').map(stem).collect());

/// What every other tool does.
const COMMON_ACTIONS: &str = "create add new make delete remove update edit change set list show get fetch retrieve \
    read view find search lookup open run start check put look send write take go leave mark pick place give tell";

const ACTIONS: &[&str] = &[
    "create add new make insert generate",
    "delete remove erase drop destroy discard",
    "update edit modify change set patch alter rename",
    "list enumerate show all browse index",
    "get fetch retrieve read load view obtain",
    "search find lookup query discover",
    "send post publish deliver submit",
    "run execute start launch invoke",
    "stop kill terminate end halt cancel",
    "copy duplicate clone",
    "move relocate transfer",
    "open visit navigate goto",
    "write save store persist record",
    "download fetch pull save",
    "upload push attach",
    "convert transform export translate",
    "translate language",
    "summarize summary digest abstract",
    "compare diff difference",
    "analyze analysis inspect examine evaluate",
    "calculate compute arithmetic math sum",
    "check verify validate test",
    "watch monitor observe track",
    "merge combine join concatenate",
    "schedule plan book arrange",
    "book reserve reservation booking",
    "draw plot chart graph visualize diagram",
    "resize scale crop",
    "reply respond answer comment",
    "restart reboot reload",
    "deploy release rollout ship",
    "install setup",
    "remember memory recall store",
    "share invite permission grant",
    "subscribe follow watch",
    "count number total",
    "archive zip compress tar",
    "extract unzip parse scrape",
    "crawl scrape spider",
    "transcribe transcript transcription subtitle caption",
    "print output display",
    "buy purchase order checkout",
    "pay payment charge invoice billing",
    "refund reimburse chargeback",
];

const THINGS: &[&str] = &[
    "file document attachment",
    "folder directory dir path",
    "repository repo project",
    "issue ticket bug task",
    "task todo reminder",
    "message msg chat dm",
    "mail email inbox gmail message",
    "meeting appointment event calendar",
    "note page wiki document",
    "picture image photo photograph screenshot",
    "screenshot capture snapshot",
    "video movie film clip youtube",
    "movie film cinema",
    "song track music audio playlist",
    "audio sound voice speech",
    "web website site page url internet online",
    "url link address",
    "user person member people account profile",
    "customer client contact lead",
    "company organization firm business",
    "team group channel",
    "database db table sql",
    "row record entry item",
    "column field attribute",
    "spreadsheet excel xlsx sheet csv",
    "slide presentation powerpoint pptx deck",
    "word docx document",
    "paper article publication arxiv study research literature",
    "news headline article",
    "weather forecast temperature climate rain",
    "location place position coordinate geocode latitude longitude",
    "map route direction navigation distance",
    "restaurant food dining",
    "recipe cook meal dish ingredient food",
    "hotel accommodation lodging airbnb stay room",
    "flight plane airline airport",
    "train railway ticket rail",
    "trip travel journey itinerary vacation",
    "stock share ticker equity quote",
    "price cost quote rate",
    "money currency exchange forex",
    "crypto bitcoin coin token cryptocurrency",
    "finance financial market earnings",
    "container docker image",
    "pod kubernetes k8s cluster",
    "server host machine instance vm",
    "log trace event",
    "error exception crash failure bug",
    "metric measurement monitoring dashboard",
    "alert alarm incident notification",
    "build pipeline ci workflow job",
    "commit revision change history",
    "branch fork",
    "pr pull request merge",
    "code source program script",
    "function method symbol",
    "package dependency library module npm pypi",
    "vulnerability cve security advisory",
    "secret credential password token key",
    "domain dns hostname whois",
    "ip address network",
    "time clock date timezone hour",
    "light lamp bulb",
    "device sensor appliance",
    "node entity graph",
    "relation edge link",
    "game match player sport team",
    "protein gene molecule compound drug",
    "product item goods catalog",
    "cart basket",
    "tweet post status feed",
    "model mesh object 3d",
    "think thought reason reasoning",
    "shell terminal command bash cli",
    "browser chrome page tab",
    "click press tap",
    "type fill input enter",
    "form field input",
    "button link element",
    "color colour palette",
    "size dimension",
    "pdf document",
    "text string content",
    "hash checksum digest",
    "random uuid generate",
];
