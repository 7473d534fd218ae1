//! Toolsets and the browser's tools, as the page drives them.
//!
//! A browser toolset is reconciled after every drain that asked for it; what `exposeCapability` says is set by
//! `expose`. Called by `command`, `drain` and `world`.

use std::collections::BTreeMap;
use std::rc::Rc;

use agent_surface_core::message::Target;
use agent_surface_core::{Budget, Exposure, Sent, ToolsetConfig};
use agent_surface_json::Kind;

use crate::call::{Wording, consumer};
use crate::json;
use crate::words::Words;
use crate::world::World;

#[derive(Debug)]
struct Opened {
    name: String,
    id: u32,
    consumer: agent_surface_core::Consumer,
    browser: bool,
    seen: bool,
}

/// The toolsets of a transcript, and what the browser was offered.
#[derive(Debug, Default)]
pub(crate) struct Toolsets {
    opened: Vec<Opened>,
    /// Names by toolset, entry and generation.
    offered: BTreeMap<(u32, u32, u32), String>,
    exposures: BTreeMap<String, Exposure>,
    to_refresh: Vec<u32>,
}

impl Toolsets {
    fn find(&self, name: &str) -> Result<&Opened, String> {
        self.opened
            .iter()
            .rev()
            .find(|one| one.name == name)
            .ok_or_else(|| format!("no toolset `{name}`"))
    }
}

impl World {
    /// `toolset NAME as kind:id [waits] [wait N] [browser] [components N] [bytes N] [scope a+b]`
    pub fn open_toolset(&mut self, words: &mut Words) -> Result<(), String> {
        let name = words.want("a name")?;
        let mut config = ToolsetConfig {
            consumer: consumer("embedded:tools")?,
            scope: Vec::new(),
            budget: Budget::NONE,
            waits: false,
            wait_ms: None,
            browser: false,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "as" => config.consumer = consumer(&words.want("a consumer")?)?,
                "waits" => config.waits = true,
                "wait" => config.wait_ms = Some(words.number()?),
                "browser" => config.browser = true,
                "components" => config.budget.max_components = words.number()?,
                "bytes" => config.budget.max_bytes = words.number()?,
                "scope" => config.scope = words.want("prefixes")?.split('+').map(str::to_owned).collect(),
                other => return Err(format!("`{other}` is no option of a toolset")),
            }
        }
        let (who, browser) = (config.consumer.clone(), config.browser);
        let id = self.core()?.open_toolset(config);
        self.toolsets.opened.push(Opened {
            name,
            id,
            consumer: who,
            browser,
            seen: false,
        });
        if browser {
            self.reconcile(id)?;
        } else {
            self.build(id)?;
        }
        Ok(())
    }

    pub fn close_toolset(&mut self, words: &mut Words) -> Result<(), String> {
        let id = self.toolsets.find(&words.want("a toolset")?)?.id;
        let now = self.at();
        self.core()?.close_toolset(now, id);
        Ok(())
    }

    pub fn watch_toolset(&mut self, words: &mut Words) -> Result<(), String> {
        let id = self.toolsets.find(&words.want("a toolset")?)?.id;
        self.core()?.watch_toolset(id, true);
        Ok(())
    }

    /// `expose CAPABILITY skip|plain|JSON`
    pub fn expose(&mut self, words: &mut Words) -> Result<(), String> {
        let capability = words.want("a capability")?;
        let exposure = match words.json() {
            Some(overrides) => Exposure::With(overrides),
            None if words.take("skip") => Exposure::Skip,
            None => Exposure::Plain,
        };
        self.toolsets.exposures.insert(capability, exposure);
        Ok(())
    }

    fn build(&mut self, toolset: u32) -> Result<bool, String> {
        let Some(view) = self.core()?.toolset_view(toolset) else {
            return Ok(false);
        };
        if !self.look(view)? {
            return Ok(false);
        }
        Ok(self.core()?.build_tools(toolset))
    }

    pub fn refresh(&mut self, toolset: u32) {
        let found = self.toolsets.opened.iter().find(|one| one.id == toolset);
        let (name, browser) = found.map_or((String::new(), false), |one| (one.name.clone(), one.browser));
        self.line("refresh", &format!("refresh {name}"));
        if browser {
            self.toolsets.to_refresh.push(toolset);
        }
    }

    /// Browser toolsets that asked for it are brought in line.
    pub fn run_refreshes(&mut self) -> Result<(), String> {
        for toolset in std::mem::take(&mut self.toolsets.to_refresh) {
            self.reconcile(toolset)?;
        }
        Ok(())
    }

    fn reconcile(&mut self, toolset: u32) -> Result<(), String> {
        self.build(toolset)?;
        let mut exposures = Vec::new();
        if !self.toolsets.exposures.is_empty() {
            for target in self.core()?.offerable(toolset) {
                let id = self.subjects(target).pop().unwrap_or_default();
                if let Some(exposure) = self.toolsets.exposures.get(&id) {
                    exposures.push((target, exposure.clone()));
                }
            }
        }
        self.core()?.reconcile(toolset, &exposures);
        Ok(())
    }

    pub fn offer(&mut self, toolset: u32, entry: u32, generation: u32) -> Result<(), String> {
        let text = self
            .core()?
            .offered_tool(toolset, entry)
            .ok_or("an offer of nothing")?;
        let document = json::parse(&text)?;
        let name = document
            .root()
            .get("name")
            .and_then(|name| name.as_str().map(std::borrow::Cow::into_owned));
        let name = name.unwrap_or_default();
        self.line("offer", &format!("offer {name}"));
        self.line("definition", &format!("definition {text}"));
        self.toolsets.offered.insert((toolset, entry, generation), name);
        Ok(())
    }

    pub fn withdraw(&mut self, toolset: u32, entry: u32, generation: u32) {
        let name = self
            .toolsets
            .offered
            .remove(&(toolset, entry, generation))
            .unwrap_or_default();
        self.line("withdraw", &format!("withdraw {name}"));
    }

    fn offer_named(&self, name: &str) -> Result<(u32, u32, u32), String> {
        let found = self
            .toolsets
            .offered
            .iter()
            .rev()
            .find(|(_, known)| *known == name);
        found
            .map(|(at, _)| *at)
            .ok_or_else(|| format!("the browser holds no `{name}`"))
    }

    /// What the browser says of an offer: `browser took NAME`, `browser refused NAME "reason"`, `browser calls NAME
    /// [json]`, `browser status TOOLSET`; `late SLOT` forms answer for an offer that may be gone.
    pub fn browser(&mut self, words: &mut Words) -> Result<(), String> {
        let verb = words.want("what the browser does")?;
        let name = words.want("a name")?;
        if verb == "status" {
            let id = self.toolsets.find(&name)?.id;
            let status = self.core()?.browser_status(id).unwrap_or_default();
            self.line("reply", &format!("status {status}"));
            return Ok(());
        }
        let (toolset, entry, generation) = self.offer_named(&name)?;
        match verb.as_str() {
            "took" => self.core()?.offer_accepted(toolset, entry, generation),
            "refused" | "refused-late" => {
                let generation = if verb == "refused" {
                    generation
                } else {
                    generation.wrapping_sub(1)
                };
                let reason = words.text().unwrap_or_default();
                let again = self.core()?.offer_rejected(toolset, entry, generation, &reason);
                self.line("reply", if again { "offer again" } else { "leave it" });
            }
            "calls" => {
                let wording = Wording::read(words)?;
                let sent = wording.sent()?;
                let now = self.at();
                let aborted = wording.aborted;
                let admitted = self
                    .core()?
                    .execute_offered(now, toolset, entry, generation, sent, aborted);
                match admitted {
                    Some(admitted) => self.admitted(admitted, &wording)?,
                    None => self.line("reply", "no such offer"),
                }
            }
            other => return Err(format!("`{other}` is nothing that the browser does")),
        }
        Ok(())
    }

    /// `tools NAME`: what the toolset's catalog says now.
    pub fn tools(&mut self, words: &mut Words) -> Result<(), String> {
        let opened = self.toolsets.find(&words.want("a toolset")?)?;
        let id = opened.id;
        let moved = self.build(id)?;
        let first = self.toolsets.opened.iter_mut().find(|one| one.id == id);
        let first = first.is_some_and(|one| !std::mem::replace(&mut one.seen, true));
        self.line("reply", if moved || first { "tools new" } else { "tools same" });
        if !moved && !first {
            return Ok(());
        }
        for (name, row) in self.rows(id)? {
            let core = self.core()?;
            let state = json::parse(&core.tool_state(id, row.target))?;
            let label = core.tool_label(row.spec);
            let mut line = format!("tool {name} {label}");
            for (what, text) in ["unavailable", "note"].iter().zip(state.root().items()) {
                if text.as_str().is_some() {
                    line.extend([format!(" {what} {}", text.raw())]);
                }
            }
            self.line("reply", &line);
        }
        Ok(())
    }

    fn rows(&mut self, toolset: u32) -> Result<Vec<(String, Row)>, String> {
        let core = self.core()?;
        let names = core.tool_names(toolset);
        let rows = core.tool_rows(toolset);
        let rows = rows.chunks(4).filter_map(|row| {
            let [registration, capability, spec, _] = *row else {
                return None;
            };
            let target = Target {
                registration,
                capability,
            };
            Some(Row { target, spec })
        });
        Ok(names.lines().map(str::to_owned).zip(rows).collect())
    }

    /// `execute TOOLSET TOOL [id X] [confirmation C] [json]`: what a tool of the built catalog does.
    pub fn execute(&mut self, words: &mut Words) -> Result<(), String> {
        let opened = self.toolsets.find(&words.want("a toolset")?)?;
        let (id, who) = (opened.id, opened.consumer.clone());
        let name = words.want("a tool")?;
        let row = self.rows(id)?.into_iter().find(|(known, _)| *known == name);
        let target = row
            .map(|(_, row)| row.target)
            .ok_or_else(|| format!("no tool `{name}`"))?;
        let capability = self.subjects(target).pop().unwrap_or_default();
        let core = self.core()?;
        let registration = core.registration_id(target.registration).map(str::to_owned);
        let version = core.toolset_view(id).map(|view| core.view_version(view));
        let wording = Wording {
            capability,
            registration,
            version: version.map(|version| version.to_string()),
            ..Wording::read(words)?
        };
        let now = self.at();
        let admitted = self.core()?.execute(now, id, wording.request(&who)?);
        self.admitted(admitted, &wording)
    }
}

impl World {
    /// `act TOOLSET CAPABILITY …`: a call by id through a toolset, as the tools of meta mode make it. An input that is the
    /// JSON text of an object is sent as both.
    pub fn act(&mut self, words: &mut Words) -> Result<(), String> {
        let opened = self.toolsets.find(&words.want("a toolset")?)?;
        let (id, who) = (opened.id, opened.consumer.clone());
        let capability = words.want("a capability")?;
        let wording = Wording {
            capability,
            ..Wording::read(words)?
        };
        let mut request = wording.request(&who)?;
        if let Sent::Json(document) = &request.input
            && let Some(object) = document.root().as_str().and_then(|text| json::parse(&text).ok())
            && object.root().kind() == Kind::Object
        {
            request.input = Sent::Encoded(Rc::clone(document), Rc::new(object));
        }
        let now = self.at();
        let admitted = self.core()?.execute(now, id, request);
        self.admitted(admitted, &wording)
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    target: Target,
    spec: u32,
}
