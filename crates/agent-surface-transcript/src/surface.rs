//! Conversations with the kernel of the external surface: the peer, the page and the person are the transcript.
//!
//! Holds every conversation to this: a request is answered once, a call runs once for one piece of evidence, and nothing
//! runs once the session is over. It refuses to know how the kernel keeps its books. Called through `conversation`.

use std::collections::{BTreeMap, BTreeSet};

use agent_surface_core::time::Millis;
use agent_surface_json::Value;
use agent_surface_kernel::{Config, Kernel, Outcome, Output, PROTOCOL};

use crate::command::milliseconds;
use crate::conversation::{Conversation, repeated};
use crate::json;
use crate::words::Words;

/// What a transcript may say before its first request.
#[derive(Debug)]
struct Settings {
    app: String,
    expose: Vec<String>,
    scope: Option<Vec<String>>,
    until: f64,
    limits: BTreeMap<String, String>,
}

/// The host of one kernel.
#[derive(Debug)]
pub(crate) struct Surface {
    settings: Settings,
    kernel: Option<Kernel>,
    now: f64,
    tokens: u32,
    /// The page's snapshot, and whether the kernel has it already.
    snapshot: String,
    is_known: bool,
    lines: Vec<String>,
    answered: BTreeSet<u32>,
    /// What ran: ids, with the evidence.
    ran: BTreeSet<(String, Option<String>)>,
    is_over: bool,
    broken: Option<String>,
}

impl Surface {
    pub fn new() -> Surface {
        let limits = [("recordLimit", "20"), ("maxBytes", "4096"), ("maxInFlight", "32")];
        Surface {
            settings: Settings {
                app: String::from("app"),
                expose: Vec::new(),
                scope: None,
                until: 60_000.0,
                limits: limits.map(|(key, value)| (key.into(), value.into())).into(),
            },
            kernel: None,
            now: 0.0,
            tokens: 0,
            snapshot: String::from(r#"{"surfaceVersion":"1","components":[],"procedures":[]}"#),
            is_known: false,
            lines: Vec::new(),
            answered: BTreeSet::new(),
            ran: BTreeSet::new(),
            is_over: false,
            broken: None,
        }
    }

    fn obey(&mut self, words: &mut Words) -> Result<(), String> {
        let verb = words.want("a command")?;
        match verb.as_str() {
            "app" | "expose" | "scope" | "until" | "limits" if self.kernel.is_none() => {
                self.configure(&verb, words)
            }
            "snapshot" => {
                self.snapshot = words.json().ok_or("expected a snapshot")?;
                self.is_known = false;
                Ok(())
            }
            "advance" => self.advance(words),
            "clock" => {
                self.now += milliseconds(&words.want("a time")?)?;
                Ok(())
            }
            "invoke" | "describe" | "send" | "deep" | "large" | "unreadable" => self.request(&verb, words),
            "described" | "undescribed" => self.described(&verb, words),
            "returned" | "failed" | "asks" | "result" => self.result(&verb, words),
            "decided" | "expired" => {
                let call = call(words)?;
                let outcome = if verb == "decided" {
                    Outcome::Decided
                } else {
                    Outcome::Expired
                };
                let now = Millis(self.now);
                self.kernel()?.handle_decided(now, call, outcome);
                Ok(())
            }
            "left" => {
                let word = words.want("a request")?;
                let token = word.strip_prefix('@').and_then(|number| number.parse().ok());
                let token = token.ok_or_else(|| format!("`{word}` is no request, such as `@1`"))?;
                self.kernel()?.handle_left(token);
                Ok(())
            }
            "revoke" => {
                self.kernel()?.handle_revoked();
                self.is_over = true;
                Ok(())
            }
            "look" => {
                let snapshot = self.snapshot.clone();
                let is_new = self.kernel()?.handle_look(&snapshot);
                self.lines.push((if is_new { "changed" } else { "same" }).into());
                Ok(())
            }
            other => Err(format!("`{other}` is no command here")),
        }
    }

    fn configure(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let settings = &mut self.settings;
        match verb {
            "app" => settings.app = words.want("a name")?,
            "expose" => settings
                .expose
                .push(words.json().ok_or("expected an entry, as JSON")?),
            "scope" => {
                let list = words.want("published ids")?;
                settings.scope = Some(list.split('+').map(json::quoted).collect());
            }
            "until" => settings.until = milliseconds(&words.want("a time")?)?,
            _ => {
                let document = json::parse(&words.want("JSON")?)?;
                for (key, value) in document.root().entries() {
                    settings.limits.insert(key.into_owned(), value.raw().to_owned());
                }
            }
        }
        Ok(())
    }

    /// The kernel, made when it is first needed.
    fn kernel(&mut self) -> Result<&mut Kernel, String> {
        if self.kernel.is_none() {
            let Settings {
                app,
                expose,
                scope,
                until,
                limits,
            } = &self.settings;
            let mut published = Vec::new();
            for entry in expose {
                let document = json::parse(entry)?;
                let root = document.root();
                published.push(root.get("id").unwrap_or(root).raw().to_owned());
            }
            let mut text = format!(
                r#"{{"app":{},"expose":[{}],"scope":[{}]"#,
                json::quoted(app),
                expose.join(","),
                scope.as_ref().unwrap_or(&published).join(",")
            );
            for (key, value) in limits {
                text.extend([",", &json::quoted(key), ":", value]);
            }
            text.push('}');
            self.kernel = Some(Kernel::new(Config::read(&text, Millis(*until))?));
        }
        self.kernel
            .as_mut()
            .ok_or_else(|| String::from("there is no kernel"))
    }

    /// `invoke ID CAPABILITY [J]`, `describe ID [limit N]`, `send TEXT`, `deep ID N CAPABILITY`, `large N`,
    /// `unreadable [large] [ID] "why"`
    fn request(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        self.tokens += 1;
        let (token, now) = (self.tokens, Millis(self.now));
        let envelope =
            |id: &str, more: &str| format!(r#"{{"protocol":"{PROTOCOL}","id":{},{more}}}"#, json::quoted(id));
        let text = match verb {
            "invoke" => {
                let (id, capability) = (words.want("an id")?, words.want("a published id")?);
                let input = words
                    .json()
                    .map(|input| format!(r#","input":{input}"#))
                    .unwrap_or_default();
                let capability = json::quoted(&capability);
                envelope(
                    &id,
                    &format!(r#""method":"invoke","capability":{capability}{input}"#),
                )
            }
            "describe" => {
                let id = words.want("an id")?;
                let limit = if words.take("limit") {
                    Some(words.number()?)
                } else {
                    None
                };
                let input = limit
                    .map(|limit| format!(r#","input":{{"limit":{limit}}}"#))
                    .unwrap_or_default();
                envelope(&id, &format!(r#""method":"describe"{input}"#))
            }
            "deep" => {
                let (id, levels) = (words.want("an id")?, words.number()? as usize);
                let (capability, open) = (json::quoted(&words.want("a published id")?), "[".repeat(levels));
                let input = open + &"]".repeat(levels);
                envelope(
                    &id,
                    &format!(r#""method":"invoke","capability":{capability},"input":{input}"#),
                )
            }
            "large" => "x".repeat(words.number()? as usize),
            "send" => words.rest(),
            _ => {
                let is_too_large = words.take("large");
                let problem = words.text();
                let (id, problem) = match problem {
                    Some(problem) => (None, problem),
                    None => (
                        Some(words.want("an id")?),
                        words.text().ok_or("expected a sentence")?,
                    ),
                };
                self.kernel()?
                    .handle_unreadable(token, id.as_deref(), is_too_large, &problem);
                return Ok(());
            }
        };
        self.kernel()?.handle_request(now, token, &text);
        Ok(())
    }

    /// `described CALL [records J] [total N]`, `undescribed CALL`
    fn described(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let call = call(words)?;
        let records = if words.take("records") { words.json() } else { None };
        let records = records.unwrap_or_else(|| String::from("[]"));
        let given = json::parse(&records)?.root().items().count();
        let total = if words.take("total") {
            words.number()?
        } else {
            u32::try_from(given).unwrap_or(u32::MAX)
        };
        let snapshot = (!self.is_known).then(|| self.snapshot.clone());
        let records = (verb == "described").then_some(records);
        self.kernel()?
            .handle_described(call, snapshot.as_deref(), records.as_deref(), total);
        self.is_known = true;
        Ok(())
    }

    /// `returned CALL [J]`, `failed CALL CODE [J]`, `asks CALL CONFIRMATION`, `result CALL J`
    fn result(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let call = call(words)?;
        let text = match verb {
            "returned" => match words.json() {
                Some(output) => format!(r#"{{"status":"ok","output":{output}}}"#),
                None => String::from(r#"{"status":"ok"}"#),
            },
            "failed" => {
                let code = json::quoted(&words.want("a code")?);
                let details = words
                    .json()
                    .map(|details| format!(r#","details":{details}"#))
                    .unwrap_or_default();
                format!(
                    r#"{{"status":"error","error":{{"code":{code},"message":"m","retry":"no"{details}}}}}"#
                )
            }
            "asks" => {
                let confirmation = json::quoted(&words.want("a confirmation")?);
                format!(
                    r#"{{"error":{{"code":"CONFIRMATION_REQUIRED","details":{{"confirmationId":{confirmation}}}}}}}"#
                )
            }
            _ => words.rest(),
        };
        self.kernel()?.handle_result(call, &text);
        Ok(())
    }

    /// Time passes, and the kernel's timer fires when it is due.
    fn advance(&mut self, words: &mut Words) -> Result<(), String> {
        let end = self.now + milliseconds(&words.want("a time")?)?;
        if let Some(due) = self.kernel()?.poll_timeout() {
            // A timer never fires early.
            if due.0 < end {
                self.is_over = true;
                self.kernel()?.handle_timeout();
            }
        }
        self.now = end;
        Ok(())
    }

    fn drain(&mut self) -> Result<(), String> {
        while let Some(output) = self.kernel.as_mut().and_then(Kernel::poll_output) {
            let line = self.told(output)?;
            self.lines.push(line);
        }
        Ok(())
    }

    fn told(&mut self, output: Output) -> Result<String, String> {
        Ok(match output {
            Output::Respond { token, text, .. } => {
                if !self.answered.insert(token) {
                    self.breach(&format!("@{token} was answered twice"));
                }
                answer(token, &text)?
            }
            Output::Describe { call, limit } => format!("describe #{call} limit {limit}"),
            Output::Invoke {
                call,
                exposure,
                id,
                input,
                confirmation,
            } => {
                let name = self
                    .kernel()?
                    .exposures()
                    .get(exposure)
                    .map(|exposure| exposure.id.clone());
                let name = name.ok_or_else(|| format!("place {exposure} of the allowlist is empty"))?;
                if self.is_over {
                    self.breach(&format!("`{id}` runs after the session's end"));
                }
                if !self.ran.insert((id.clone(), confirmation.clone())) {
                    self.breach(&format!("`{id}` runs twice"));
                }
                let evidence = confirmation
                    .map(|evidence| format!(" evidence {evidence}"))
                    .unwrap_or_default();
                let input = if input.is_empty() {
                    String::new()
                } else {
                    format!(" {input}")
                };
                format!("run #{call} {name} {id}{input}{evidence}")
            }
            Output::Wait { call, confirmation } => format!("wait #{call} {confirmation}"),
            Output::Abort { call } => format!("abort #{call}"),
            Output::Withdraw { confirmation, reason } => {
                format!("withdraw {confirmation} {}", json::quoted(reason))
            }
        })
    }

    fn breach(&mut self, what: &str) {
        self.broken.get_or_insert_with(|| what.to_owned());
    }
}

impl Conversation for Surface {
    fn say(&mut self, command: &str) -> Result<(), String> {
        let (times, command) = repeated(command)?;
        for turn in 1..=times {
            let mut words = Words::new(&command.replace("{n}", &turn.to_string()));
            self.obey(&mut words)?;
            words.end()?;
            self.drain()?;
        }
        self.verdict()
    }

    fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    fn verdict(&self) -> Result<(), String> {
        self.broken.clone().map_or(Ok(()), Err)
    }
}

/// `#1`
fn call(words: &mut Words) -> Result<u32, String> {
    let word = words.want("a call")?;
    let number = word.strip_prefix('#').and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("`{word}` is no call, such as `#1`"))
}

/// `answer @1 ID ok J`, or `answer @1 ID CODE "message"`; the id of a request without one is `null`.
fn answer(token: u32, text: &str) -> Result<String, String> {
    let document = json::parse(text)?;
    let root = document.root();
    if !root
        .get("protocol")
        .is_some_and(|protocol| protocol.is_str(PROTOCOL))
    {
        return Err(format!("a response without the protocol: `{text}`"));
    }
    let id = root.get("id").ok_or("a response without an id")?;
    let id = id
        .as_str()
        .map_or_else(|| id.raw().to_owned(), std::borrow::Cow::into_owned);
    let raw = |value: Option<Value<'_>>| value.map(|value| value.raw().to_owned()).unwrap_or_default();
    if let Some(error) = root.get("error") {
        let code = error
            .get("code")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .into_owned();
        return Ok(format!(
            "answer @{token} {id} {code} {}",
            raw(error.get("message"))
        ));
    }
    Ok(format!("answer @{token} {id} ok {}", raw(root.get("result"))))
}
