//! How long verifying a caller's token takes, beside the hash that is the least of it.
//!
//! Figures only; nothing passes or fails by time.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use sha2::{Digest as _, Sha256};
use toolgate_auth::callers::{BELIEVED_MS, ClientTokens, NewToken};
use toolgate_store::{SqliteStore, TokenName};

criterion_group!(benches, verifying);
criterion_main!(benches);

#[allow(clippy::unwrap_used, reason = "a failed step is a failed benchmark")]
fn verifying(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let state = tempfile::tempdir().unwrap();
    let tokens = ClientTokens::new(Arc::new(SqliteStore::open(state.path()).unwrap()));
    let name = TokenName::parse("ci").unwrap();
    let new = NewToken {
        name,
        roles: None,
        client: None,
        shows_forms: false,
        is_owners: false,
        expires_at: None,
    };
    let (text, _) = runtime.block_on(tokens.create(new, 1)).unwrap();
    let unknown = format!("tgt_{}", "a".repeat(43));
    let mut group = criterion.benchmark_group("verifying");
    group.bench_function("the hash alone", |bencher| {
        bencher.iter(|| black_box(Sha256::digest(black_box(text.expose()).as_bytes())));
    });
    for (case, text) in [("remembered", text.expose()), ("refused before", &unknown)] {
        let _asked_once = runtime.block_on(tokens.verify(text, 1));
        group.bench_function(case, |bencher| {
            bencher.iter(|| assert!(now(tokens.verify(black_box(text), 1)).is_some()));
        });
    }
    let mut at = 1;
    group.bench_function("asked of the store", |bencher| {
        bencher.iter(|| {
            at += BELIEVED_MS;
            runtime.block_on(tokens.verify(black_box(text.expose()), at)).is_ok()
        });
    });
    group.finish();
}

/// What needs no waiting is not waited for; a runtime would cost more than what is measured.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
