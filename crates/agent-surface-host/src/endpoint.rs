//! An endpoint: a router with its host, its clock and its handlers, and how an exchange runs over them.
//!
//! It refuses to hold the host while a handler runs: other exchanges go on. The server calls it for each request.

use agent_surface_interop::router::{self, Host, Pause, Run};
use agent_surface_interop::{Error, Exact, LogicalTime, Manifest, Outcome, Response, Router, Signal};
use axum::http::HeaderMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a handler will say.
pub type Handler = Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>;
/// The endpoint's logical time when a request comes in.
pub type Clock = dyn Fn(&HeaderMap, &Exact) -> Result<LogicalTime, Error> + Send + Sync;

/// A router, and all that it asks for.
pub struct Endpoint<H> {
    router: Router,
    host: Mutex<H>,
    clock: Box<Clock>,
    handler: Box<dyn Fn(&Run) -> Handler + Send + Sync>,
}

impl<H> std::fmt::Debug for Endpoint<H> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Endpoint")
            .field("router", &self.router)
            .finish_non_exhaustive()
    }
}

impl<H: Host + Send + 'static> Endpoint<H> {
    /// `handler` is asked for every run. It should watch `Run::signal`: when the caller is gone, it may stop with an error,
    /// and the run is free again once its lease ends. Until it ends it counts as one of `Mount::max_exchanges`.
    pub fn new(
        router: Router,
        host: H,
        clock: impl Fn(&HeaderMap, &Exact) -> Result<LogicalTime, Error> + Send + Sync + 'static,
        handler: impl Fn(&Run) -> Handler + Send + Sync + 'static,
    ) -> Self {
        Endpoint {
            router,
            host: Mutex::new(host),
            clock: Box::new(clock),
            handler: Box::new(handler),
        }
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        self.router.manifest()
    }

    /// A host that panicked between two of its answers still holds what it had.
    fn host(&self) -> MutexGuard<'_, H> {
        self.host.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn exchange(
        self: Arc<Self>,
        headers: HeaderMap,
        request: Exact,
        signal: Signal,
    ) -> Result<Response, Error> {
        let now = (self.clock)(&headers, &request)?;
        let mut step = self.router.handle(request, now, signal);
        loop {
            let pause = router::advance(step, &mut *self.host());
            step = match pause {
                Pause::Done(result) => return result,
                Pause::Run(ask) => {
                    let handler = (self.handler)(ask.question());
                    ask.settle(handler.await)
                }
            };
        }
    }
}
