//! What is found by which words, and what cannot push itself forward.

use proptest::prelude::*;

use crate::stem::stem;
use crate::words::{is_filler, words_of};
use crate::{SearchedTool, ToolIndex};

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    words_of(text, |word| words.push(word.to_owned()));
    words
}

fn tool<'a>(server: &'a str, name: &'a str, description: &'a str) -> SearchedTool<'a> {
    SearchedTool { server, name, title: None, description: Some(description), schema: None }
}

fn found(tools: &[SearchedTool<'_>], request: &str) -> Vec<String> {
    let index = ToolIndex::new(tools.iter().copied());
    let found = index.search(request, 5, |_| 0.0);
    found
        .iter()
        .map(|one| format!("{}/{}", tools[one.place].server, tools[one.place].name))
        .collect()
}

#[test]
fn names_of_every_style_have_the_same_words() {
    for name in
        ["createPullRequest", "create_pull_request", "create-pull-request", "Create.Pull/Request"]
    {
        assert_eq!(words(name), ["create", "pull", "request"]);
    }
    assert_eq!(words("v2Api"), ["v2", "api"]);
    assert_eq!(words("HTTPServer"), ["http", "server"]);
    assert_eq!(words("k8s_getPods ec2 sha256"), ["k8s", "get", "pods", "ec2", "sha", "256"]);
    assert_eq!(words("Größe ändern"), ["größe", "ändern"]);
    assert_eq!(words("  --  "), [""; 0]);
}

#[test]
fn forms_of_one_word_have_one_stem() {
    for forms in [
        ["list", "lists", "listing", "listed"],
        ["repository", "repositories", "repository", "repositories"],
        ["search", "searches", "searching", "searched"],
        ["delete", "deletes", "deleting", "deleted"],
        ["pr", "prs", "pr", "prs"],
    ] {
        let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
        assert!(stems.iter().all(|one| *one == stems[0]), "{stems:?}");
    }
    assert_ne!(stem("news"), stem("new"));
}

#[test]
fn words_that_only_look_alike_have_stems_of_their_own() {
    for [one, other] in [
        ["business", "busy"],
        ["customer", "custom"],
        ["production", "product"],
        ["important", "import"],
        ["paste", "past"],
        ["international", "internal"],
    ] {
        assert_ne!(stem(one), stem(other));
    }
    assert_eq!(stem("organisations"), stem("organize"));
}

#[test]
fn a_product_is_found_as_people_write_it() {
    let tools = [
        tool("git", "log", "Shows commits of a local repository"),
        tool("github", "list_commits", "Walk through the commits of a branch"),
        tool("notes", "search_notes", "Search what was written, also on YouTube"),
    ];
    assert_eq!(found(&tools, "the last commits on GitHub")[0], "github/list_commits");
    assert_eq!(found(&tools, "youtube")[0], "notes/search_notes");
    assert_eq!(found(&tools, "YouTube")[0], "notes/search_notes");
}

#[test]
fn a_name_that_is_a_list_of_words_is_not_found_by_them() {
    let name =
        "weather_forecast_city_rain_sun_wind_snow_map_route_train_hotel_mail_chat_file_code_price";
    let tools = [
        tool("stuffed", name, "weather forecast"),
        tool("honest", "lookup", "The weather forecast of a city"),
    ];
    assert_eq!(found(&tools, "weather forecast")[0], "honest/lookup");
}

#[test]
fn what_a_description_begins_with_is_not_drowned_by_the_rest() {
    let rest = " Returns a list of results with many details of each one as text.".repeat(6);
    let long = format!("Translates a text into another language.{rest}");
    let tools = [
        tool("a", "run", &long),
        tool("b", "go", "Something of a language and of many other subjects that nobody asked for"),
    ];
    assert_eq!(found(&tools, "translate into a language")[0], "a/run");
}

#[test]
fn fillers_are_no_terms() {
    for word in ["please", "the", "me", "a", "your"] {
        assert!(is_filler(word), "{word}");
    }
    assert!(!is_filler("delete"));
}

#[test]
fn what_a_tool_is_called_counts_more_than_what_it_mentions() {
    let tools = [
        tool(
            "forge",
            "list_issues",
            "Lists them. To close one use the other, to create an issue the third.",
        ),
        tool("forge", "create_issue", "Opens a new one."),
        tool("mail", "send", "Sends a message."),
    ];
    assert_eq!(found(&tools, "create an issue")[0], "forge/create_issue");
    assert_eq!(found(&tools, "open a ticket")[0], "forge/create_issue");
    assert_eq!(found(&tools, "write an email")[0], "mail/send");
    assert_eq!(found(&tools, "zzz qqq"), [""; 0]);
}

#[test]
fn each_part_of_a_request_is_found() {
    let tools = [
        tool("weather", "forecast", "The weather of the next days at a place."),
        tool("weather", "history", "The weather of past days at a place."),
        tool("weather", "alerts", "Warnings about the weather at a place."),
        tool("weather", "stations", "Places where the weather is measured."),
        tool("climate", "averages", "The usual weather at a place."),
        tool("chat", "post_message", "Posts a message to a channel."),
        tool("calendar", "create_event", "Puts an event into a calendar."),
    ];
    let request = "What will the weather be in Oslo this weekend? Then post it to the team channel, and put \
                   a picnic event into my calendar.";
    let found = found(&tools, request);
    for wanted in ["weather/forecast", "chat/post_message", "calendar/create_event"] {
        assert!(found.contains(&wanted.to_owned()), "{wanted} in {found:?}");
    }
}

/// A server that writes every word it can think of into its tools is not found by each of them.
#[test]
fn a_server_that_stuffs_every_word_does_not_win() {
    let all = "create delete list search send issue weather file mail message calendar database query \
               translate image video flight hotel price stock repository commit branch pull request "
        .repeat(40);
    let honest = [
        tool("forge", "create_issue", "Opens a new issue."),
        tool("weather", "forecast", "The weather of the next days."),
        tool("mail", "send_mail", "Sends a mail."),
    ];
    let mut tools = honest.to_vec();
    let names: Vec<String> = (0..20).map(|number| format!("do_everything_{number}")).collect();
    tools.extend(names.iter().map(|name| tool("stuffed", name, &all)));
    for (request, wanted) in [
        ("create an issue", "forge/create_issue"),
        ("weather forecast", "weather/forecast"),
        ("send a mail", "mail/send_mail"),
    ] {
        assert_eq!(found(&tools, request)[0], wanted, "{request}");
    }
}

/// One that always succeeded is lifted by a tenth at most.
#[test]
fn past_success_decides_between_equals_and_no_more() {
    let tools = [
        tool("a", "search_notes", "Searches notes."),
        tool("b", "search_notes", "Searches notes."),
        tool("c", "delete_everything", "Deletes notes."),
    ];
    let index = ToolIndex::new(tools);
    let order = |prior: [f32; 3]| {
        let found = index.search("search my notes", 3, |place| prior[place]);
        found.iter().map(|one| one.place).collect::<Vec<_>>()
    };
    assert_eq!(order([0.0, 0.0, 0.0])[..2], [0, 1]);
    assert_eq!(order([0.0, 1.0, 0.0])[..2], [1, 0]);
    assert_eq!(order([0.0, 0.0, 1e9])[..2], [0, 1]);
}

#[test]
fn several_servers_come_before_the_tenth_tool_of_one() {
    let names: Vec<String> = (0..10).map(|number| format!("search_pages_{number}")).collect();
    let mut tools: Vec<_> =
        names.iter().map(|name| tool("wiki", name, "Searches pages of the wiki.")).collect();
    tools.push(tool("web", "search_pages", "Searches pages of the web, and says where they are."));
    assert!(found(&tools, "search pages").contains(&"web/search_pages".to_owned()));
}

proptest! {
    #[test]
    fn any_text_is_searched_and_searched_for(text in ".{0,200}", request in ".{0,200}") {
        let index = ToolIndex::new([tool(&text, &text, &text)]);
        let found = index.search(&request, 5, |_| f32::NAN);
        prop_assert!(found.len() <= 1);
        prop_assert!(found.iter().all(|one| one.score.is_finite()));
    }
}
