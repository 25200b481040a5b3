//! `read_file`: ranges, bounds, and what is not text.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use toolgate_servers::RepoBounds;

use crate::session::Ground;

#[tokio::test]
async fn a_whole_file_comes_as_it_stands() {
    let ground = Ground::with(&[("a.txt", "one\r\n\n  drei ü\nlast")]);
    let mut session = ground.session();
    let result = session.call("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(result["content"], json!([{ "type": "text", "text": "one\r\n\n  drei ü\nlast" }]));
    let expected = json!({
        "path": "a.txt", "start_line": 1, "end_line": 4, "total_lines": 4, "size": 20,
        "truncated": false, "text": "one\r\n\n  drei ü\nlast",
    });
    assert_eq!(result["structuredContent"], expected);
}

#[tokio::test]
async fn a_range_gives_its_lines_and_says_where_they_stand() {
    let ground = Ground::with(&[("a.txt", "1\n2\n3\n4\n5\n")]);
    let mut session = ground.session();
    let ranges: [(Value, Value, &str, u64); 4] = [
        (json!(2), json!(3), "2\n3\n", 3),
        (json!(4), Value::Null, "4\n5\n", 5),
        (Value::Null, json!(1), "1\n", 1),
        (json!(5), json!(99), "5\n", 5),
    ];
    for (start, end, text, last) in ranges {
        let arguments = json!({ "path": "a.txt", "start_line": start, "end_line": end });
        let result = session.done("read_file", arguments).await;
        assert_eq!((&result["text"], &result["end_line"]), (&json!(text), &json!(last)));
        assert_eq!((&result["total_lines"], &result["truncated"]), (&json!(5), &json!(false)));
    }
    let past = json!({ "path": "a.txt", "start_line": 6 });
    let said = session.refused("read_file", past).await;
    assert_eq!(said, "`a.txt` has 5 lines; `start_line` 6 is past its end");
    let backwards = json!({ "path": "a.txt", "start_line": 3, "end_line": 2 });
    let said = session.refused("read_file", backwards).await;
    assert_eq!(said, "`end_line` 2 is before `start_line` 3");
}

#[tokio::test]
async fn an_empty_file_has_no_lines_and_is_no_failure() {
    let ground = Ground::with(&[("empty", "")]);
    let result = ground.session().read("empty").await;
    assert_eq!((&result["text"], &result["total_lines"]), (&json!(""), &json!(0)));
    assert_eq!((&result["start_line"], &result["end_line"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn a_path_may_be_absolute_or_roundabout_as_long_as_it_stays_inside() {
    let ground = Ground::with(&[("src/a.txt", "text")]);
    let mut session = ground.session();
    let absolute = ground.root().join("src/a.txt");
    let paths = [absolute.to_str().unwrap(), "./src//a.txt", "src/../src/./a.txt"];
    for path in paths {
        let result = session.read(path).await;
        assert_eq!((&result["text"], &result["path"]), (&json!("text"), &json!("src/a.txt")));
    }
}

#[tokio::test]
async fn a_huge_file_comes_in_parts_that_join() {
    let ground = Ground::new();
    let text: String = (1..=30_000).map(|line| format!("this is line number {line}\n")).collect();
    ground.write("huge.txt", &text);
    let mut session = ground.session();
    let (mut joined, mut start, mut parts) = (String::new(), 1, 0);
    loop {
        let arguments = json!({ "path": "huge.txt", "start_line": start });
        let part = session.done("read_file", arguments).await;
        let shown = part["text"].as_str().unwrap();
        assert!(shown.len() <= 256 * 1024 && shown.lines().count() <= 2_000);
        assert_eq!(part["total_lines"], 30_000);
        joined.push_str(shown);
        start = part["end_line"].as_u64().unwrap() + 1;
        parts += 1;
        if part["truncated"] == false {
            break;
        }
        assert_eq!(part["hint"], format!("There is more: go on with `start_line` {start}."));
    }
    assert_eq!((joined == text, parts), (true, 15));
}

#[tokio::test]
async fn many_long_lines_stay_within_the_bytes_of_a_result() {
    let ground = Ground::new();
    ground.write("wide.js", format!("{}\n", "x".repeat(100_000)).repeat(200));
    let result = ground.session().read("wide.js").await;
    let text = result["text"].as_str().unwrap();
    assert!(text.len() <= 256 * 1024, "{}", text.len());
    assert!(text.starts_with(&"x".repeat(4096)) && text.contains("x… [cut]\n"));
    assert_eq!(result["truncated"], true);
    assert!(result["hint"].as_str().unwrap().contains("were cut"));
}

#[tokio::test]
async fn what_is_not_text_is_named_and_not_shown() {
    let ground = Ground::new();
    let late = [&b"text\n".repeat(4_000)[..], b"\0"].concat();
    ground.write("a.png", b"\x89PNG\r\n\x1a\n\0\0").write("b.bin", b"ab\0c").write("late", late);
    ground.write("utf16.txt", b"\xff\xfea\0");
    let mut session = ground.session();
    let said = session.read_refused("a.png").await;
    assert_eq!(said, "`a.png` is not text: it looks like image/png, 10 bytes");
    for (path, what) in
        [("b.bin", "octet-stream"), ("late", "octet-stream"), ("utf16.txt", "UTF-16")]
    {
        let arguments = json!({ "path": path, "start_line": 1, "end_line": 4001 });
        // The late one is over the bound of lines, so its end is asked for.
        let arguments =
            if path == "late" { json!({ "path": path, "start_line": 3999 }) } else { arguments };
        let said = session.refused("read_file", arguments).await;
        assert!(said.contains("is not text") && said.contains(what), "{said}");
    }
    let latin = [b'n', 0xe4, b'h'];
    ground.write("latin1.txt", latin);
    assert_eq!(session.read("latin1.txt").await["text"], "n\u{fffd}h");
}

#[tokio::test]
async fn folders_and_what_is_not_there_are_told_apart() {
    let ground = Ground::with(&[("src/a.txt", "text")]);
    let mut session = ground.session();
    assert_eq!(session.read_refused("src").await, "`src` is a folder, not a file with text");
    assert_eq!(session.read_refused("").await, "`` is a folder, not a file with text");
    assert_eq!(session.read_refused("src/b.txt").await, "`src/b.txt` does not exist");
    assert_eq!(session.read_refused("src/a.txt/b").await, "`src/a.txt/b` does not exist");
}

#[tokio::test]
async fn a_folder_that_is_gone_is_told_and_one_that_is_made_again_is_served() {
    let ground = Ground::with(&[("a.txt", "old")]);
    let mut session = ground.session();
    fs::remove_dir_all(ground.root()).unwrap();
    let said = session.read_refused("a.txt").await;
    assert!(said.starts_with("the folder that is served cannot be opened"), "{said}");
    ground.write("a.txt", "new");
    assert_eq!(session.read("a.txt").await["text"], "new");
}

#[tokio::test]
async fn a_file_without_permission_says_so_without_naming_the_machine() {
    let ground = Ground::with(&[("a.txt", "text")]);
    let path = ground.root().join("a.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // A superuser reads it all the same.
    if fs::read(&path).is_err() {
        let said = ground.session().read_refused("a.txt").await;
        assert!(said.starts_with("`a.txt` cannot be opened: "), "{said}");
        assert!(!said.contains("root/"), "{said}");
    }
}

#[tokio::test]
async fn without_time_to_count_the_total_is_left_out() {
    let ground = Ground::with(&[("a.txt", "1\n2\n")]);
    let bounds = RepoBounds { time: std::time::Duration::ZERO, ..RepoBounds::default() };
    let mut session = ground.bounded(bounds);
    let result = session.read("a.txt").await;
    assert_eq!((&result["total_lines"], &result["truncated"]), (&Value::Null, &json!(true)));
    let late = json!({ "path": "a.txt", "start_line": 2 });
    let said = session.refused("read_file", late).await;
    assert_eq!(said, "`a.txt` is too large to get there in time");
}
