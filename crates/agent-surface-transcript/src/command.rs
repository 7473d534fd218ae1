//! What each command of a transcript means: the table of verbs.
//!
//! Changes the core or the host's answers and drains nothing itself. Called by `world`.

use agent_surface_core::limits::Limits;
use agent_surface_core::message::Input;
use agent_surface_core::{Core, OnCollision, OnDuplicate, Registered};

use crate::answer::QUESTIONS;
use crate::words::Words;
use crate::world::{Mounted, World};
use crate::{call, declare, json};

impl World {
    pub fn obey(&mut self, mut words: Words) -> Result<(), String> {
        let verb = words.want("a command")?;
        self.obey_verb(&verb, &mut words)?;
        words.end()
    }

    fn obey_verb(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        match verb {
            "policy" => self.policies.declare(words),
            "runs" => self.policies.script(words),
            "show" | "hide" => {
                self.show(verb == "show", words);
                Ok(())
            }
            "payloads" => {
                self.full_payloads = words.want("`full` or `short`")? == "full";
                Ok(())
            }
            "ticks" => {
                self.ticks_by_itself = words.want("`auto` or `manual`")? == "auto";
                Ok(())
            }
            "limits" | "duplicates" | "collisions" | "approver" | "route" | "registry"
                if !self.has_core() =>
            {
                self.configure(verb, words)
            }
            "during" => self.answers.interrupt(words),
            _ if QUESTIONS.contains(&verb) || verb == "route" => self.answers.set(verb, words),
            "register" => self.register(words),
            "unregister" | "update" | "invalidate" => self.change(verb, words),
            "executor" => self.executor(words),
            "audience" => self.audience(words),
            "dispose" => {
                let now = self.at();
                self.core()?.dispose(now);
                Ok(())
            }
            "version" => {
                let version = self.core()?.version();
                self.line("reply", &format!("version {version}"));
                Ok(())
            }
            "tick" => self.tick(),
            "advance" => self.advance(words),
            "clock" => {
                self.now += milliseconds(&words.want("a time")?)?;
                Ok(())
            }
            "approve" | "deny" | "pending" | "status" | "gesture" | "describe" => {
                self.confirmation(verb, words)
            }
            "snapshot" => self.snapshot(words),
            "toolset" => self.open_toolset(words),
            "close" => self.close_toolset(words),
            "watch" => self.watch_toolset(words),
            "tools" => self.tools(words),
            "execute" => self.execute(words),
            "act" => self.act(words),
            "expose" => self.expose(words),
            "browser" => self.browser(words),
            _ => self.obey_call(verb, words),
        }
    }

    fn obey_call(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        match verb {
            "invoke" => self.invoke(words),
            "abort" => {
                let id = self.call_named(&words.want("a call")?)?;
                self.input(Input::Abort(id))
            }
            "returned" | "threw" | "failed" => {
                let id = self.call_named(&words.want("a call")?)?;
                let returned = match verb {
                    "returned" => call::returned(words)?,
                    "threw" => agent_surface_core::message::Returned::Threw,
                    _ => agent_surface_core::message::Returned::Failure(call::failure(words)?),
                };
                self.handler_ended(id, returned)
            }
            "next" | "done" | "throws" | "escalates" | "audits" => self.policy_acts(verb, words),
            "met" | "unmet" => {
                let id = self.call_named(&words.want("a call")?)?;
                let refusal = if verb == "met" {
                    None
                } else {
                    call::precondition(words)
                };
                self.input(Input::PreconditionDone(id, refusal))
            }
            "checked" => {
                let id = self.call_named(&words.want("a call")?)?;
                let checked = call::checked(words)?;
                self.input(Input::Checked(id, checked))
            }
            other => Err(format!("`{other}` is no command")),
        }
    }

    fn show(&mut self, show: bool, words: &mut Words) {
        while let Some(kind) = words.next() {
            if show {
                self.shown.insert(kind);
            } else {
                self.shown.remove(&kind);
            }
        }
    }

    fn configure(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        match verb {
            "limits" => {
                let document = json::parse(&words.want("JSON")?)?;
                let limits = Limits::from_json(document.root()).map_err(|error| error.text())?;
                *self.config.limits = limits;
            }
            "duplicates" => {
                let replace = words.want("a rule")? == "replace";
                self.config.on_duplicate = if replace {
                    OnDuplicate::Replace
                } else {
                    OnDuplicate::Reject
                };
            }
            "collisions" => {
                self.config.on_collision = match words.want("a rule")?.as_str() {
                    "error" => OnCollision::Refuse,
                    "off" => OnCollision::Ignore,
                    _ => OnCollision::Warn,
                }
            }
            "approver" => self.config.require_approver = words.take("required"),
            "route" => {
                self.config.has_route = true;
                if words.peek().is_some() {
                    self.answers.set("route", words)?;
                }
            }
            _ => {
                words.take("policies");
                let list = self.policies.definition(&words.want("policies")?)?;
                let document = json::parse(&list)?;
                self.config.policies =
                    agent_surface_core::definition::parse_policies(document.root(), "the registry")
                        .map_err(|error| error.text())?;
            }
        }
        Ok(())
    }

    fn register(&mut self, words: &mut Words) -> Result<(), String> {
        let policies = &self.policies;
        let declared = declare::component(words, &|names| policies.definition(names))?;
        let procedures = declared
            .capabilities
            .iter()
            .any(|text| text.contains("\"kind\":\"procedure\""));
        if procedures && !self.answers.executor_set() {
            self.core()?.set_executor(Some(None));
        }
        let mut specs = Vec::new();
        for text in &declared.capabilities {
            let key = (declared.component_type.clone(), text.clone());
            let known = self.specs.get(&key).copied();
            let made = match known {
                Some(spec) => Ok(spec),
                None => self.core()?.spec(&declared.component_type, text),
            };
            match made {
                Ok(spec) => {
                    self.specs.insert(key, spec);
                    specs.push(spec);
                }
                Err(error) => return self.refused(&specs, &error.text()),
            }
        }
        let prepared = match self.core()?.prepare(&declared.header, &specs) {
            Ok(prepared) => prepared,
            Err(error) => return self.refused(&specs, &error.text()),
        };
        let now = self.at();
        match self.core()?.commit(now, prepared, declared.accepted) {
            Registered::Live(slot) => self.mount(slot, &declared, &specs),
            Registered::Duplicate => {
                self.line("reply", "rejected duplicate");
                Ok(())
            }
            Registered::Refused(error) => {
                self.line("reply", &format!("refused {}", error.text()));
                Ok(())
            }
            Registered::Guarded => {
                self.line("reply", "rejected guard");
                Ok(())
            }
        }
    }

    fn refused(&mut self, specs: &[u32], text: &str) -> Result<(), String> {
        for &spec in specs {
            self.core()?.release_spec(spec);
        }
        self.line("reply", &format!("refused {text}"));
        Ok(())
    }

    fn mount(&mut self, slot: u32, declared: &declare::Declared, specs: &[u32]) -> Result<(), String> {
        let core = self.core()?;
        let id = core.registration_id(slot).unwrap_or_default().to_owned();
        let generation = core.registration_generation(slot);
        let mut capabilities = Vec::new();
        for &spec in specs {
            let descriptor = json::parse(&core.spec_descriptor(spec).ok_or("a spec without a descriptor")?)?;
            let root = descriptor.root();
            let id = root.get("capabilityId").or_else(|| root.get("procedureId"));
            capabilities.push(
                id.and_then(agent_surface_json::Value::as_str)
                    .unwrap_or_default()
                    .into_owned(),
            );
        }
        self.names.hide(&id);
        self.mounted.push(Mounted {
            slot,
            generation,
            component_type: declared.component_type.clone(),
            instance: declared
                .instance
                .clone()
                .unwrap_or_else(|| String::from("default")),
            id,
            capabilities,
        });
        Ok(())
    }

    /// `unregister|invalidate COMPONENT`, `update COMPONENT [enabled yes|no] [availability]`
    fn change(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let handle = self.handle_of(words)?;
        let now = self.at();
        let lives = match verb {
            "unregister" => self.core()?.unregister(now, handle.slot, handle.generation),
            "invalidate" => self.core()?.invalidate(now, handle.slot, handle.generation),
            _ => {
                let enabled = words
                    .take("enabled")
                    .then(|| words.take("yes") || !words.take("no"));
                let availability = words.json().map(|text| json::parse(&text)).transpose()?;
                let changed = self.core()?.update(
                    now,
                    handle.slot,
                    handle.generation,
                    enabled,
                    availability.as_ref(),
                );
                match changed {
                    Ok(lives) => lives,
                    Err(error) => {
                        self.line("reply", &format!("refused {}", error.text()));
                        return Ok(());
                    }
                }
            }
        };
        if !lives {
            self.line("reply", "gone");
        }
        Ok(())
    }

    /// `executor none|any|a+b`
    fn executor(&mut self, words: &mut Words) -> Result<(), String> {
        let paths = words.want("paths")?;
        let executor = match paths.as_str() {
            "none" => None,
            "any" => Some(None),
            list => Some(Some(list.split('+').map(str::to_owned).collect())),
        };
        self.answers.set_executor();
        self.core()?.set_executor(executor);
        Ok(())
    }

    /// `audience [listeners] [audit] [approvers N]`; what is not named is not there.
    fn audience(&mut self, words: &mut Words) -> Result<(), String> {
        let (mut listeners, mut audit, mut approvers) = (false, false, 0);
        while let Some(word) = words.next() {
            match word.as_str() {
                "listeners" => listeners = true,
                "audit" => audit = true,
                "approvers" => approvers = words.number()?,
                "none" => {}
                other => return Err(format!("`{other}` is no audience")),
            }
        }
        self.core()?.set_audience(listeners, audit, approvers);
        Ok(())
    }

    /// Time passes; timers fire when they are due, in their order.
    fn advance(&mut self, words: &mut Words) -> Result<(), String> {
        let end = self.clock + milliseconds(&words.want("a time")?)?;
        self.drain()?;
        loop {
            let due = self
                .timers
                .iter()
                .copied()
                .filter(|armed| armed.due <= end)
                .min_by(|a, b| a.due.total_cmp(&b.due));
            let to = due.map_or(end, |armed| armed.due.max(self.clock));
            self.now += to - self.clock;
            self.clock = to;
            let Some(armed) = due else { return Ok(()) };
            self.timers.retain(|other| other.timer != armed.timer);
            self.input(Input::DeadlineReached {
                timer: armed.timer,
                generation: armed.generation,
            })?;
            self.drain()?;
            while self.ticks_by_itself && self.scheduled {
                self.tick()?;
            }
        }
    }

    fn confirmation(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let now = self.at();
        if verb == "pending" {
            let list = self.core()?.pending_confirmations(now);
            let list = json::parse(&list)?;
            let records: Vec<String> = list.root().items().map(|item| item.raw().to_owned()).collect();
            for record in &records {
                self.line("reply", &format!("pending {record}"));
            }
            if records.is_empty() {
                self.line("reply", "nothing pending");
            }
            return Ok(());
        }
        let id = words.want("a confirmation")?;
        match verb {
            "approve" | "deny" => {
                let note = words.text();
                let approved = verb == "approve";
                let decided = self
                    .core()?
                    .resolve_confirmation(now, &id, approved, note.as_deref());
                if !decided {
                    self.line("reply", "nothing to decide");
                }
            }
            "status" => {
                let status = Core::confirmation_status(self.core()?, now, &id);
                self.line("reply", &format!("status {status}"));
            }
            "describe" => {
                let text = self
                    .core()?
                    .describe_confirmation(&id)
                    .unwrap_or_else(|| "nothing".to_owned());
                self.line("reply", &format!("described {text}"));
            }
            _ => {
                let how = words.text().unwrap_or_default();
                self.core()?.gesture_refused(now, &id, &how);
            }
        }
        Ok(())
    }
}

/// `10s`, `2m`, `500ms`; a minus sets the clock back.
pub(crate) fn milliseconds(word: &str) -> Result<f64, String> {
    let (number, scale) = match (
        word.strip_suffix("ms"),
        word.strip_suffix('s'),
        word.strip_suffix('m'),
    ) {
        (Some(number), _, _) => (number, 1.0),
        (_, Some(number), _) => (number, 1000.0),
        (_, _, Some(number)) => (number, 60_000.0),
        _ => return Err(format!("`{word}` is no time")),
    };
    let number: f64 = number
        .parse()
        .map_err(|error| format!("`{word}` is no time: {error}"))?;
    Ok(number * scale)
}
