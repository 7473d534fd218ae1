//! The pure part of the HTTP transport: where an endpoint's resources are, and a reply as it comes in, within its bound.
//!
//! It refuses what is past the bound before it is kept. Called by the facade's `interop-http.js`.

use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::Error;
use agent_surface_interop::http::{Location, Reply};
use wasm_bindgen::prelude::*;

use super::{rules::whole, write};

/// Where an endpoint is.
#[wasm_bindgen]
#[derive(Debug)]
pub struct HttpPlace(Location);

#[wasm_bindgen]
impl HttpPlace {
    /// From the folder that the platform gives for a base URL, or nothing, and the most bytes of a reply.
    ///
    /// # Errors
    /// Either is not as it must be.
    #[wasm_bindgen(constructor)]
    pub fn new(folder: &str, limit: Option<f64>) -> Result<HttpPlace, String> {
        // What is no whole number is no limit.
        let limit = limit.map(|limit| whole(limit).unwrap_or(0));
        Location::resolved(folder, limit)
            .map(HttpPlace)
            .map_err(|error| write::error(&error))
    }

    /// Where the manifest is.
    pub fn manifest(&self) -> String {
        self.0.manifest()
    }

    /// Where requests go.
    pub fn exchange(&self) -> String {
        self.0.exchange()
    }

    /// A reply begins, with its status and the length that it declares.
    ///
    /// # Errors
    /// It is none, or too long.
    pub fn reply(&self, status: u16, declared: Option<f64>) -> Result<HttpReply, String> {
        let reply = self.0.reply(status, declared.and_then(whole));
        reply
            .map(|reply| HttpReply(RefCell::new(Some(reply))))
            .map_err(|error| write::error(&error))
    }
}

/// A reply's body. A machine reads it where it lies.
#[wasm_bindgen]
#[derive(Debug)]
pub struct HttpReply(RefCell<Option<Reply>>);

impl HttpReply {
    /// Its text, once.
    pub(super) fn take_text(&self) -> Option<String> {
        self.0.borrow_mut().take().map(Reply::text)
    }
}

#[wasm_bindgen]
impl HttpReply {
    /// Another piece.
    ///
    /// # Errors
    /// It is too long.
    pub fn push(&self, piece: &[u8]) -> Result<(), String> {
        match self.0.borrow_mut().as_mut() {
            Some(reply) => reply.push(piece).map_err(|error| write::error(&error)),
            None => Ok(()),
        }
    }

    /// The value's canonical text.
    ///
    /// # Errors
    /// It is no JSON, or was taken before.
    pub fn finish(&self) -> Result<String, String> {
        let reply = self.0.borrow_mut().take();
        let reply = reply.ok_or_else(|| write::error(&Error::Host(String::from("the reply was taken"))))?;
        let value = reply.finish().map_err(|error| write::error(&error))?;
        Ok(String::from(value.text()))
    }
}
