//! The world's Stripe: the simulated account below the wire, and a network of its own.

use anyhow::Result;
use effect::{Time, minutes, seconds};
use payment::ports::Clock;
use stripe_wire::{HttpReply, HttpRequest, TransportError};
use world::{Outside, StripeFault};

use super::{StripeSubject, Trouble};

/// The world's Stripe.
#[derive(Default)]
pub struct WorldStripe(Outside);

impl StripeSubject for WorldStripe {
    type Port = Outside;

    fn port(&self) -> &Outside {
        &self.0
    }

    async fn trouble(&self, trouble: Trouble) -> Result<()> {
        use stripe_sim::Fault;
        self.0.script(match trouble {
            Trouble::ReplyLost => StripeFault::LoseReply,
            Trouble::Reset => StripeFault::ResetBefore,
            Trouble::ErrorBefore => StripeFault::At(Fault::Error500Before),
            Trouble::ErrorAfter => StripeFault::At(Fault::Error500After),
            Trouble::ErrorBetween => StripeFault::At(Fault::Error500BetweenCreateAndConfirm),
            Trouble::RateLimited => StripeFault::At(Fault::RateLimit429),
            Trouble::Locked => StripeFault::At(Fault::LockTimeout429),
            Trouble::Unavailable => StripeFault::At(Fault::Unavailable503Before),
            Trouble::Slow => StripeFault::Slow(seconds(30)),
        });
        Ok(())
    }

    async fn call_while_running(
        &self,
        first: &HttpRequest,
        second: &HttpRequest,
    ) -> Result<[Result<HttpReply, TransportError>; 2]> {
        Ok(self.0.call_while_running(first, second))
    }

    async fn now(&self) -> Result<Time> {
        Ok(self.0.now())
    }

    async fn pass(&self, ms: i64) -> Result<()> {
        self.0.pass(ms);
        Ok(())
    }

    async fn finish(&self) -> Result<()> {
        self.pass(minutes(1)).await
    }

    async fn search_lags(&self, ms: i64) -> Result<()> {
        self.0.set_search_lag(ms);
        Ok(())
    }

    async fn refuse_credentials(&self, refuse: bool) -> Result<()> {
        self.0.refuse_credentials(refuse);
        Ok(())
    }
}
