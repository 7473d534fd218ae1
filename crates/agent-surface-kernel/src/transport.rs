//! Transports: what carries envelopes between one peer and its kernel, as a trait that any host can implement.
//!
//! The four duties of a transport come before this: it proves who the peer is, makes its session, bounds what it reads and
//! tells an audit. It refuses to filter capabilities and to confirm: that is the kernel's. Called by a native host; in a
//! page `createSurfaceTransport` of `/surface` is its counterpart.

use agent_surface_core::time::Millis;
use alloc::string::String;

use crate::kernel::{Kernel, Output};
use crate::session::Standing;

/// What came from a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A request, and the token under which its response is to be sent: no other that waits may have it.
    Request {
        /// The transport's own number for it.
        token: u32,
        /// As it came.
        text: String,
    },
    /// What could not be read as a text: not UTF-8, or larger than the transport reads.
    Unreadable {
        /// The transport's own number for it.
        token: u32,
        /// Whether its size is what is wrong.
        is_too_large: bool,
        /// Goes on after "a request".
        problem: String,
    },
    /// Whoever waits under the token has left.
    Left {
        /// As of its request.
        token: u32,
    },
    /// The peer is gone, and all that waits with it.
    Gone,
}

/// A connection to one peer that was authenticated.
pub trait Transport {
    /// What came since the last time, in order; nothing where nothing is there yet. It must not wait.
    fn poll_incoming(&mut self) -> Option<Incoming>;

    /// Carries a response, unchanged, to whoever waits under `token`. To a peer that is gone it goes nowhere.
    fn send(&mut self, token: u32, response: String);

    /// The session is over, and everything that waited was answered: the connection ends. Called once.
    fn close(&mut self, standing: Standing);
}

/// A kernel and the transport to its peer.
#[derive(Debug)]
pub struct Link<T> {
    kernel: Kernel,
    transport: T,
    is_closed: bool,
}

impl<T: Transport> Link<T> {
    /// Joins the two: the session of the kernel is the one that the transport made for this peer.
    pub fn new(kernel: Kernel, transport: T) -> Link<T> {
        Link {
            kernel,
            transport,
            is_closed: false,
        }
    }

    /// For results and decisions, the end of the session and the timer. After each of them, drain.
    pub fn kernel(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// The peer's connection.
    pub fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Takes in what came, sends what is answered, and gives what is to be done next; never an [`Output::Respond`].
    pub fn poll_output(&mut self, now: Millis) -> Option<Output> {
        loop {
            while let Some(output) = self.kernel.poll_output() {
                match output {
                    Output::Respond { token, text, .. } => self.transport.send(token, text),
                    other => return Some(other),
                }
            }
            let standing = self.kernel.standing();
            if standing != Standing::Live {
                if !core::mem::replace(&mut self.is_closed, true) {
                    self.transport.close(standing);
                }
                return None;
            }
            self.take(now)?;
        }
    }

    fn take(&mut self, now: Millis) -> Option<()> {
        match self.transport.poll_incoming()? {
            Incoming::Request { token, text } => self.kernel.handle_request(now, token, &text),
            Incoming::Unreadable {
                token,
                is_too_large,
                problem,
            } => self.kernel.handle_unreadable(token, None, is_too_large, &problem),
            Incoming::Left { token } => self.kernel.handle_left(token),
            Incoming::Gone => self.kernel.handle_revoked(),
        }
        Some(())
    }
}
