//! The GET stream of the legacy era: what the server sends when nobody asked.

use std::sync::{Arc, Weak};
use std::time::Duration;

use http::{HeaderValue, Method};
use toolgate_wire::header::AnswerMedia;

use super::super::exchange::media;
use super::Streamable;
use super::answer::follow;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Listens as long as the connection is there, and stops for good where the server has no such
/// stream. It never holds the connection while it waits for the server.
pub(super) async fn listen(connection: Weak<Streamable>) {
    let mut last_event_id: Option<String> = None;
    let mut wanted = FIRST_PAUSE;
    let mut pause = wanted;
    while let Some(alive) = connection.upgrade() {
        let (exchange, router) = (alive.exchange.clone(), Arc::clone(&alive.router));
        let mut headers = alive.conversation(alive.revision());
        drop(alive);
        if let Some(last) = &last_event_id {
            headers.last_event = HeaderValue::from_str(last).ok();
        }
        let answered = exchange.send(Method::GET, &headers, bytes::Bytes::new()).await;
        match connection.upgrade() {
            Some(alive) => alive.settled.send_replace(true),
            None => return,
        };
        match answered {
            Ok(response) if response.status().is_success() => {
                if media(&response) != AnswerMedia::EventStream {
                    return;
                }
                if let Err(broken) = follow(&router, response, None).await {
                    last_event_id = broken.last_event_id.or(last_event_id);
                    wanted = broken.retry.unwrap_or(wanted);
                    pause = wanted;
                }
            }
            // No stream here, or not for us; a lost session is noticed and renewed by the next request.
            Ok(response) if response.status().is_client_error() => return,
            Ok(_) | Err(_) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
        tokio::time::sleep(pause).await;
    }
}
