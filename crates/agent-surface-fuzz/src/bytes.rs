//! A fuzzer's bytes as numbers, choices and texts. At the end it gives zeros.
//!
//! Called by the targets.

pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub const fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    pub const fn one_in(&mut self, count: u8) -> bool {
        self.byte().is_multiple_of(count)
    }

    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    pub const fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub fn number(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let at = self.below(choices.len());
        choices.get(at).copied()
    }

    /// Up to 255 bytes as text.
    pub fn text(&mut self) -> String {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    /// One of the choices, or now and then any text.
    pub fn word(&mut self, choices: &[&str]) -> String {
        let at = self.below(choices.len() + 1);
        choices
            .get(at)
            .map_or_else(|| self.text(), |word| (*word).to_owned())
    }
}

/// The bytes as two texts, parted by the first zero byte.
pub(crate) fn halves(bytes: &[u8]) -> (String, String) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    (text(), text())
}
