//! The core's step function: whatever a page, an agent and a clock do, told by bytes. No panic, one settlement for each
//! call, at most one start, every drain ends, and nothing is left after `dispose`.

mod acts;
mod host;

use crate::bytes::Bytes;
use host::Host;

/// Acts of one run.
const MOST_ACTS: usize = 300;

pub(crate) fn fuzz(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let Some(mut host) = Host::new(&mut bytes) else {
        return;
    };
    for _ in 0..MOST_ACTS {
        if bytes.is_empty() {
            break;
        }
        host.act(&mut bytes);
        host.drain(&mut bytes);
    }
    host.finish(&mut bytes);
}
