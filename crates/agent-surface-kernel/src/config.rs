//! What a kernel is made from, read from text.
//!
//! It refuses what is no allowlist, no limit and no rate, with a sentence. Called by the boundary, or by a native host.

use agent_surface_core::time::Millis;
use agent_surface_json::{Document, Kind, Value};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use crate::catalog::TRUSTED;
use crate::expose::{self, Exposure};
use crate::rate::Rate;
use crate::session::Session;

/// What a kernel is made from.
#[derive(Clone, Debug)]
pub struct Config {
    /// The application's name, for peers.
    pub app: String,
    /// The allowlist, in the order in which it is described.
    pub exposures: Vec<Exposure>,
    /// Records in a description, at most.
    pub record_limit: u32,
    /// Bytes of a request, at most.
    pub max_bytes: usize,
    /// Requests that may be under way at a time. One whose caller left counts until its execution has ended.
    pub max_in_flight: usize,
    /// Where requests are to be limited in time.
    pub rate: Option<Rate>,
    /// Who asks.
    pub session: Session,
}

impl Config {
    /// Reads `{ app, expose, scope, recordLimit, maxBytes, maxInFlight, rate?: { limit, windowMs } }`.
    ///
    /// # Errors
    /// A sentence about what is wrong with it.
    pub fn read(text: &str, expires_at: Millis) -> Result<Config, String> {
        let document = Document::parse(text, TRUSTED).map_err(|error| error.message())?;
        let root = document.root();
        let app = root
            .get("app")
            .and_then(Value::as_str)
            .filter(|app| !app.is_empty());
        let app = app.ok_or("`app` must be a name")?.into_owned();
        let count = |key| root.get(key).and_then(Value::as_u32);
        let (Some(record_limit), Some(max_bytes), Some(max_in_flight)) =
            (count("recordLimit"), count("maxBytes"), count("maxInFlight"))
        else {
            return Err("`recordLimit`, `maxBytes` and `maxInFlight` must be whole numbers".to_owned());
        };
        let rate = match root.get("rate") {
            None => None,
            Some(rate) => {
                let number = |key| rate.get(key).and_then(Value::as_u32).unwrap_or_default();
                let bucket = Rate::new(number("limit"), number("windowMs"));
                Some(bucket.ok_or("`rate` must be { limit, windowMs }, whole numbers from 1")?)
            }
        };
        let list = |key| root.get(key).filter(|list| list.kind() == Kind::Array);
        let names = |list: Value<'_>| {
            let name = |item: Value<'_>| item.as_str().map(alloc::borrow::Cow::into_owned);
            list.items().map(name).collect()
        };
        let scope: Option<Vec<String>> = list("scope").and_then(names);
        let session = Session {
            expires_at,
            scope: scope.ok_or("the session's `scope` must be a list of published ids")?,
        };
        Ok(Config {
            exposures: expose::read(&app, list("expose").ok_or("`expose` must be a list")?)?,
            app,
            record_limit,
            max_bytes: max_bytes as usize,
            max_in_flight: max_in_flight as usize,
            rate,
            session,
        })
    }
}
