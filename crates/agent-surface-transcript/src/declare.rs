//! Reads `register …` into the definition texts that the page's facade would send.
//!
//! Fills only what every capability needs (a description, a schema that takes anything); the core judges the rest.
//! Called by `command`.

use crate::json::quoted;
use crate::words::Words;
use agent_surface_core::effect::Effect;

/// A component as a transcript declares it.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub component_type: String,
    pub instance: Option<String>,
    pub header: String,
    pub capabilities: Vec<String>,
    /// What the page's guard says of it.
    pub accepted: bool,
}

const OPENERS: [&str; 3] = ["action", "observation", "procedure"];

/// `policies` in a definition: `[{"ref":…,"name":…,"hooks":…,"guard":…}]` for names joined by `+`.
pub(crate) type Policies<'a> = &'a dyn Fn(&str) -> Result<String, String>;

struct Object(String);

impl Object {
    fn new() -> Self {
        Self(String::from("{"))
    }

    fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(key));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.raw(key, &quoted(value))
    }

    fn finish(&self) -> String {
        format!("{}}}", self.0)
    }
}

/// `TYPE [@instance] [options] capability…`
pub(crate) fn component(words: &mut Words, policies: Policies<'_>) -> Result<Declared, String> {
    let mut declared = Declared {
        component_type: words.want("a component type")?,
        accepted: true,
        ..Declared::default()
    };
    let mut header = Object::new();
    header.text("type", &declared.component_type);
    if let Some(instance) = words
        .peek()
        .and_then(|word| word.strip_prefix('@'))
        .map(str::to_owned)
    {
        words.next();
        header.text("instanceId", &instance);
        declared.instance = Some(instance);
    }
    let mut described = false;
    while words.peek().is_some_and(|word| !OPENERS.contains(&word)) {
        let word = words.want("an option")?;
        match word.as_str() {
            "priority" => header.raw("priority", &words.want("a number")?),
            "policies" => header.raw("policies", &policies(&words.want("policies")?)?),
            "meta" => header.raw("meta", &words.want("JSON")?),
            "parent" => header.raw("parent", &words.want("JSON")?),
            "disabled" => header.raw("enabled", "false"),
            "rejected" => {
                declared.accepted = false;
                &mut header
            }
            "described" => {
                described = true;
                header.text("description", &words.text().unwrap_or_default())
            }
            other => return Err(format!("`{other}` is no option of a component")),
        };
    }
    if !described {
        header.text("description", &declared.component_type);
    }
    declared.header = header.finish();
    while let Some(kind) = words.next() {
        declared.capabilities.push(capability(&kind, words, policies)?);
    }
    Ok(declared)
}

fn capability(kind: &str, words: &mut Words, policies: Policies<'_>) -> Result<String, String> {
    let name = words.want("a name")?;
    let name = name.strip_suffix(':').unwrap_or(&name);
    let mut object = Object::new();
    object.text("kind", kind);
    let (mut effect, own_key) = match kind {
        "observation" => (None, "read"),
        "action" => (Some("local-state".to_owned()), "execute"),
        _ => (Some("server-mutation".to_owned()), ""),
    };
    if kind == "procedure" {
        object.text("path", name);
    } else {
        object.text("name", name).raw(own_key, "1");
    }
    let mut concurrency = Object::new();
    let (mut input, mut output, mut described) = (kind == "observation", kind != "observation", false);
    while words.peek().is_some_and(|word| !OPENERS.contains(&word)) {
        let word = words.want("an option")?;
        if Effect::WORDS.contains(&word.as_str()) {
            effect = Some(word);
            continue;
        }
        match word.as_str() {
            "input" | "own-input" => input = true,
            "output" | "own-output" => output = true,
            "described" => described = true,
            _ => {}
        }
        option(&word, words, &mut object, &mut concurrency, policies)?;
    }
    if let Some(effect) = effect {
        object.text("effect", &effect);
    }
    if !input {
        object.raw("input", &schema("{\"type\":\"object\"}", false));
    }
    if !output {
        object.raw("output", &schema("{}", false));
    }
    if !described {
        object.text("description", name);
    }
    if concurrency.0.len() > 1 {
        object.raw("concurrency", &concurrency.finish());
    }
    Ok(object.finish())
}

fn option(
    word: &str,
    words: &mut Words,
    object: &mut Object,
    concurrency: &mut Object,
    policies: Policies<'_>,
) -> Result<(), String> {
    match word {
        "confirmation" | "audit" => object.text(word, &words.want("a level")?),
        "when" | "precondition" | "describe" => object.raw(word, "1"),
        "idempotent" => object.raw(word, "true"),
        "irreversible" => object.raw("reversible", "false"),
        "approval" => object.raw("requiresApproval", "true"),
        "reason" => match words.text() {
            Some(text) => object.text("unavailableReason", &text),
            None => object.raw("unavailableReason", if words.take("asked") { "1" } else { "0" }),
        },
        "described" => object.text("description", &words.text().unwrap_or_default()),
        "policies" => object.raw("policies", &policies(&words.want("policies")?)?),
        "meta" => object.raw("meta", &words.want("JSON")?),
        "timeout" => object.raw("timeoutMs", &words.want("milliseconds")?),
        "input" | "output" => object.raw(word, &schema(&words.want("a schema")?, false)),
        "own-input" => object.raw("input", &schema(&words.want("a schema")?, true)),
        "own-output" => object.raw("output", &schema(&words.want("a schema")?, true)),
        "mode" => {
            let mode = words.want("a mode")?;
            concurrency.text("mode", &mode);
            if mode == "key" {
                concurrency.raw("key", "1")
            } else {
                concurrency
            }
        }
        "max" => concurrency.raw("max", &words.want("a number")?),
        "depth" => concurrency.raw("queueDepth", &words.want("a number")?),
        "bound" => bound(&words.want("fields")?, object),
        other => return Err(format!("`{other}` is no option of a capability")),
    };
    Ok(())
}

/// `ids+note?`: a field with `?` may be overridden.
fn bound<'a>(fields: &str, object: &'a mut Object) -> &'a mut Object {
    let names = |all: bool| {
        let list: Vec<String> = fields
            .split('+')
            .filter(|field| all || field.ends_with('?'))
            .map(|field| quoted(field.trim_end_matches('?')))
            .collect();
        format!("[{}]", list.join(","))
    };
    object
        .raw("boundFields", &names(true))
        .raw("overridableFields", &names(false))
        .raw("bind", "1")
}

fn schema(text: &str, own: bool) -> String {
    format!("{{\"text\":{},\"own\":{own}}}", quoted(text))
}
