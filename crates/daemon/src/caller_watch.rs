//! Keeps an eye on whoever comes to the gateway: writes down what deserves attention, and knows whose
//! processes they are.

use std::sync::Arc;

use async_trait::async_trait;
use toolgate_gateway::{GatewayNotice, GatewayWatch};
use toolgate_types::{PeerLink, Requester};

use crate::visitors::AttachedVisitors;

pub(crate) struct CallerWatch(pub(crate) Arc<AttachedVisitors>);

#[async_trait]
impl GatewayWatch for CallerWatch {
    fn noticed(&self, notice: GatewayNotice<'_>) {
        match notice {
            GatewayNotice::ForeignSession { principal } => {
                tracing::warn!(
                    target: "toolgate",
                    %principal,
                    "a session of somebody else was asked for"
                );
            }
        }
    }

    async fn look_at(&self, link: &PeerLink) {
        self.0.callers.look_at(link).await;
    }

    async fn may_be_asked(&self, requester: &Requester) -> bool {
        let (visitors, requester) = (Arc::clone(&self.0), requester.clone());
        let looked = tokio::task::spawn_blocking(move || visitors.may_be_asked(&requester));
        looked.await.unwrap_or(false)
    }
}
