//! What carries a parked call on while nobody waits for it.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::sleep;
use toolgate_guard::Refusal;
use toolgate_types::QuietReceiver;
use toolgate_upstream::ServerRemark;

use super::ServerWork;
use super::chain_round::TO_ANSWER;
use super::parked_call::ParkedCall;
use super::parking_asker::AskedQuestion;
use crate::Host;
use crate::call::call_trouble::CallTrouble;
use crate::call::rounds::MOST_ROUNDS;

/// To its end, which is kept as long as the last note is good. Given up, it is cancelled at its server.
pub(super) async fn drive(
    host: Host,
    parked: Arc<ParkedCall>,
    mut work: ServerWork,
    mut questions: mpsc::Receiver<AskedQuestion>,
    mut said: QuietReceiver<ServerRemark>,
) {
    let mut changes = parked.changes();
    let ended = loop {
        let may_ask = !parked.is_asking();
        tokio::select! {
            biased;
            Some(remark) = said.recv() => parked.tell(&remark),
            ended = &mut work => break ended,
            Some(question) = questions.recv(), if may_ask => {
                if parked.rounds() >= MOST_ROUNDS {
                    break Err(CallTrouble::TooManyRounds(parked.server.clone()));
                }
                if let Err(trouble) = host.open_round(&parked, question, &mut questions).await {
                    break Err(trouble);
                }
            }
            () = parked.given_up() => break Err(match parked.is_asking() {
                true => Refusal::Expired.into(),
                false => CallTrouble::Cancelled,
            }),
            _ = changes.changed() => {}
        }
    };
    // Its server hears of it now, where it is still at work.
    drop(work);
    while let Some(remark) = said.try_recv() {
        parked.tell(&remark);
    }
    parked.end(ended.map_err(|trouble| Box::new(trouble.into_error(parked.chain.clone()))));
    // Nothing but the answer is kept for that long.
    let inner = Arc::downgrade(&host.inner);
    drop(host);
    sleep(TO_ANSWER).await;
    if let Some(inner) = inner.upgrade() {
        inner.parked.forget(&parked);
    }
}
