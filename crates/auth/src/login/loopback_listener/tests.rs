//! The listener gives on what came to its path, and shows nothing of it.

use super::*;

async fn asked(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

fn port_of(listener: &LoopbackListener) -> u16 {
    url::Url::parse(listener.redirect()).unwrap().port().unwrap()
}

#[tokio::test(flavor = "current_thread")]
async fn what_comes_to_the_path_is_given_on_and_nothing_of_it_is_shown() {
    let listener = LoopbackListener::bind(None).await.unwrap();
    let port = port_of(&listener);
    let browsing = tokio::spawn(async move {
        let elsewhere = asked(port, "GET /favicon.ico HTTP/1.1\r\n\r\n").await;
        assert!(elsewhere.starts_with("HTTP/1.1 404"), "{elsewhere}");
        let longer = asked(port, "GET /mcp/oauth/callbacks?code=c HTTP/1.1\r\n\r\n").await;
        assert!(longer.starts_with("HTTP/1.1 404"), "{longer}");
        let posted = asked(port, "POST /mcp/oauth/callback HTTP/1.1\r\n\r\n").await;
        assert!(posted.starts_with("HTTP/1.1 404"), "{posted}");
        let path = "/mcp/oauth/callback?code=c&error=%3Cscript%3Ecanary";
        asked(port, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await
    });
    let browser = listener.next().await.unwrap();
    let wanted = "?code=c&error=%3Cscript%3Ecanary";
    assert_eq!(browser.url, format!("{}{wanted}", listener.redirect()));
    browser.show(LoginPage::Refused).await.unwrap();
    let page = browsing.await.unwrap();
    assert!(page.contains("your terminal says why"), "{page}");
    assert!(!page.contains("canary") && !page.contains("script"), "{page}");
}

#[tokio::test(flavor = "current_thread")]
async fn a_port_that_is_taken_is_said_to_be() {
    let listener = LoopbackListener::bind(None).await.unwrap();
    let port = port_of(&listener);
    LoopbackListener::bind(Some(port)).await.unwrap_err();
}

/// Whoever sends more than any browser does is not heard to the end.
#[tokio::test(flavor = "current_thread")]
async fn a_head_without_measure_is_not_read() {
    let listener = LoopbackListener::bind(None).await.unwrap();
    let port = port_of(&listener);
    for (length, is_heard) in [(LONGEST / 2, true), (LONGEST * 4, false)] {
        let flooding = tokio::spawn(async move {
            let query = "a".repeat(length);
            let head = format!("GET /mcp/oauth/callback?code={query} HTTP/1.1\r\n\r\n");
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
            // The other end may hang up in the middle of it.
            let _ = stream.write_all(head.as_bytes()).await;
            stream
        });
        let (stream, _) = listener.listeners[0].accept().await.unwrap();
        let heard = listener.hear(stream).await.unwrap();
        assert_eq!(heard.is_some(), is_heard, "{length}");
        drop(flooding.await.unwrap());
    }
}
