//! The targets in one table: how they are called, what names they take, how many tools, which schemas.
//!
//! It refuses to hold a rule that is not a fact of a target. Sources: the published packages and API references of each
//! target, as of November 2026. Everything that projects looks things up here.

use crate::json::Json;

/// What takes tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenaiResponses,
    /// OpenAI Chat Completions, and servers that speak it.
    OpenaiChat,
    /// Gemini `functionDeclarations`.
    Gemini,
    /// Vercel AI SDK 7.
    AiSdk,
    /// LangChain JS.
    Langchain,
    /// assistant-ui.
    AssistantUi,
    /// AG-UI.
    AgUi,
    /// MCP `tools/list` and `tools/call`.
    Mcp,
    /// Chrome's `LanguageModel`.
    LanguageModel,
}

/// What a target's schemas may say. The order is that of the columns in `keyword`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Anthropic without `strict`.
    Anthropic,
    /// Anthropic with `strict`.
    AnthropicStrict,
    /// OpenAI without `strict`.
    Openai,
    /// OpenAI with `strict`.
    OpenaiStrict,
    /// Gemini `parameters`: OpenAPI-like, with its own names of types.
    Gemini,
    /// Gemini `parametersJsonSchema`.
    GeminiJson,
    /// What each of the JSON Schema takers above accepts without `strict`, for targets that pass tools on.
    Portable,
    /// JSON Schema 2020-12.
    Full,
}

/// The facts of a target.
#[derive(Debug)]
pub struct Profile {
    /// Its name in requests.
    pub name: &'static str,
    /// Which one it is.
    pub target: Target,
    /// Its schemas, unless the caller says otherwise.
    pub dialect: Dialect,
    /// The most tools of one request; `u32::MAX` where none is known.
    pub max_tools: u32,
    /// The most tools with `strict` of one request, unless the caller says otherwise.
    pub max_strict: u32,
    /// The longest name.
    pub max_name: usize,
    /// Names may have dots, begin with any character and differ in case alone.
    pub has_free_names: bool,
}

const fn profile(name: &'static str, target: Target, dialect: Dialect) -> Profile {
    Profile {
        name,
        target,
        dialect,
        max_tools: u32::MAX,
        max_strict: u32::MAX,
        max_name: 64,
        has_free_names: false,
    }
}

/// All targets.
pub static PROFILES: [Profile; 10] = [
    // All strict tools of a request are compiled into one grammar, whose largest size is not published; 13 tools were
    // too many for one model.
    Profile {
        max_strict: 10,
        ..profile("anthropic", Target::Anthropic, Dialect::Anthropic)
    },
    Profile {
        max_tools: 128,
        ..profile("openai-responses", Target::OpenaiResponses, Dialect::Openai)
    },
    Profile {
        max_tools: 128,
        ..profile("openai-chat", Target::OpenaiChat, Dialect::Openai)
    },
    profile("gemini", Target::Gemini, Dialect::Gemini),
    profile("ai-sdk", Target::AiSdk, Dialect::Portable),
    profile("langchain", Target::Langchain, Dialect::Portable),
    profile("assistant-ui", Target::AssistantUi, Dialect::Portable),
    profile("ag-ui", Target::AgUi, Dialect::Portable),
    Profile {
        max_name: 128,
        has_free_names: true,
        ..profile("mcp", Target::Mcp, Dialect::Full)
    },
    profile("language-model", Target::LanguageModel, Dialect::Portable),
];

/// The target with this name.
pub fn by_name(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// The answer to a request for a target that there is not.
pub(crate) fn no_such_target(given: &Json) -> Json {
    none_of("target", given, PROFILES.iter().map(|profile| profile.name))
}

/// The answer to a request for a dialect that there is not.
pub(crate) fn no_such_dialect(given: &Json) -> Json {
    none_of("schema", given, DIALECTS.iter().map(|(name, _)| *name))
}

fn none_of(option: &str, given: &Json, names: impl Iterator<Item = &'static str>) -> Json {
    let mut text = ["`", option, "` is one of "].concat();
    for name in names {
        text.push('`');
        text.push_str(name);
        text.push_str("`, ");
    }
    text.push_str("not `");
    match given {
        Json::Text(name) => text.push_str(name),
        other => text.push_str(&other.write()),
    }
    text.push('`');
    Json::object([("fault", Json::Text(text))])
}

/// The dialects that a caller may choose, by name.
static DIALECTS: [(&str, Dialect); 6] = [
    ("anthropic", Dialect::Anthropic),
    ("openai", Dialect::Openai),
    ("gemini", Dialect::Gemini),
    ("gemini-json", Dialect::GeminiJson),
    ("portable", Dialect::Portable),
    ("json-schema", Dialect::Full),
];

impl Dialect {
    /// The dialect with this name.
    pub fn by_name(name: &str) -> Option<Dialect> {
        DIALECTS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, dialect)| *dialect)
    }

    /// What it is with `strict`, where that exists.
    pub fn strict(self) -> Option<Dialect> {
        match self {
            Dialect::Anthropic => Some(Dialect::AnthropicStrict),
            Dialect::Openai => Some(Dialect::OpenaiStrict),
            _ => None,
        }
    }

    /// Whether it is a strict one.
    pub fn is_strict(self) -> bool {
        matches!(self, Dialect::AnthropicStrict | Dialect::OpenaiStrict)
    }

    /// Whether a `$ref` may stand beside other keywords.
    pub(crate) fn takes_ref_siblings(self) -> bool {
        matches!(self, Dialect::Anthropic | Dialect::Openai)
    }

    /// Whether a `$ref` may name the whole document.
    pub(crate) fn takes_root_ref(self) -> bool {
        self.takes_ref_siblings() || self.is_strict()
    }

    /// Whether recursion may go through properties that need not be there, and through no others.
    pub(crate) fn recurs_optionally(self) -> bool {
        matches!(self, Dialect::GeminiJson | Dialect::Portable)
    }

    /// Whether an array must say what its items are.
    pub(crate) fn needs_items(self) -> bool {
        matches!(
            self,
            Dialect::Openai | Dialect::OpenaiStrict | Dialect::Gemini | Dialect::Portable
        )
    }

    /// Which names of parameters it takes.
    pub(crate) fn takes_parameter(self, name: &str) -> bool {
        let first = name.bytes().next().unwrap_or(b' ');
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match self {
            Dialect::Gemini | Dialect::GeminiJson => {
                (first.is_ascii_alphabetic() || first == b'_')
                    && name.len() <= 64
                    && name.bytes().all(is_word)
            }
            Dialect::Anthropic | Dialect::AnthropicStrict => {
                !name.is_empty()
                    && name.len() <= 64
                    && name
                        .bytes()
                        .all(|byte| is_word(byte) || byte == b'.' || byte == b'-')
            }
            _ => true,
        }
    }
}
