//! Reports until when the certificate of the webhook is valid: an expired one has the effect of a webhook that is away.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::controller::metrics::Metrics;
use crate::tls::Validity;

/// How often a warning is repeated.
const REPEAT: Duration = Duration::from_secs(24 * 3600);

/// Sets the metric for each certificate that is served, and logs a warning once a day when its end is near.
pub async fn report(mut validity: watch::Receiver<Option<Validity>>, metrics: Arc<Metrics>) {
    loop {
        let served = *validity.borrow_and_update();
        if let Some(served) = served {
            metrics.certificate_expires(served.not_after);
            let now = jiff::Timestamp::now().as_second();
            if served.ends_soon(now) {
                let (end, hint) =
                    (served.end(), "renew it: with `webhook.certificate.mode: generate` run `helm upgrade`");
                let tense = if served.not_after < now { "expired" } else { "expires" };
                tracing::warn!(end, hint, "the certificate of the webhook {tense} at {end}");
            }
        }
        if let Ok(Err(_)) = timeout(REPEAT, validity.changed()).await {
            return;
        }
    }
}
