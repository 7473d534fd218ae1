//! The words of a command: plain ones, and JSON values that stay whole.
//!
//! Takes a command apart and leaves its meaning to others. Called by every file that reads a command.

/// The words of a command, taken from the front.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    words: std::collections::VecDeque<String>,
}

impl Words {
    pub fn new(text: &str) -> Self {
        let mut words = std::collections::VecDeque::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let end = if rest.starts_with(['{', '[', '"']) {
                json_end(rest)
            } else {
                rest.find(char::is_whitespace).unwrap_or(rest.len())
            };
            let (word, after) = rest.split_at(end);
            let after = after.strip_prefix(',').unwrap_or(after);
            words.push_back(word.strip_suffix(',').unwrap_or(word).to_owned());
            rest = after.trim_start();
        }
        Self { words }
    }

    pub fn peek(&self) -> Option<&str> {
        self.words.front().map(String::as_str)
    }

    pub fn next(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// The next word, which must be there.
    pub fn want(&mut self, what: &str) -> Result<String, String> {
        self.next().ok_or_else(|| format!("expected {what}"))
    }

    /// Takes the next word if it is this one.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.words.pop_front();
        }
        found
    }

    /// Takes the next word if it is a JSON value.
    pub fn json(&mut self) -> Option<String> {
        if self.peek().is_some_and(is_json) {
            return self.next();
        }
        None
    }

    /// Takes the next word if it is a JSON string, and gives its content.
    pub fn text(&mut self) -> Option<String> {
        if self.peek().is_some_and(|word| word.starts_with('"')) {
            return crate::json::string(&self.next()?);
        }
        None
    }

    pub fn number(&mut self) -> Result<u32, String> {
        let word = self.want("a number")?;
        word.parse()
            .map_err(|error| format!("expected a number, found `{word}`: {error}"))
    }

    /// The rest as one text, words joined by blanks.
    pub fn rest(&mut self) -> String {
        let words: Vec<String> = std::mem::take(&mut self.words).into();
        words.join(" ")
    }

    pub fn end(&self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(format!("`{word}` is not understood here")),
        }
    }
}

fn is_json(word: &str) -> bool {
    word.starts_with(['{', '[', '"', '-'])
        || word.starts_with(|first: char| first.is_ascii_digit())
        || ["true", "false", "null"].contains(&word)
}

/// Where the JSON value at the front ends: its brackets or quotes are closed.
fn json_end(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => quoted = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth == 0 && !quoted {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_whole_and_commas_vanish() {
        let mut words = Words::new(r#"action clear: local-state, input {"a b":["}"]}, "x \" y"  end"#);
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            found.push(word);
        }
        assert_eq!(
            found,
            [
                "action",
                "clear:",
                "local-state",
                "input",
                r#"{"a b":["}"]}"#,
                r#""x \" y""#,
                "end"
            ]
        );
    }
}
