//! The command `agent-surface-host`: lists an endpoint's manifest, and makes one exchange.
//!
//! It refuses to retry, and to take a private key from its arguments, where other users could read it: a key is a file of
//! 64 hexadecimal digits. It compares no payload with a schema; the endpoint does. People call it.

mod client;

use agent_surface_host::{Route, Transport};
use agent_surface_interop::{Call, Error, Exact, LogicalTime, Manifest, Operation, Value};
use client::Party;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "agent-surface-host manifest <base URL> [--timeout SECONDS] [--proxy URL]
agent-surface-host exchange <base URL> --session ID --operation NAME [--payload JSON] [--client ID] [--sequence N]
    [--request ID] [--key ID] [--time N] [--deadline N] [--seed FILE] [--endpoint-key BASE64URL]
    [--timeout SECONDS] [--proxy URL]

  --payload       what the input schema describes; {} unless given
  --client        who asks; client:command unless given
  --sequence      the request's number in its session; 1 unless given
  --request       names the request, and --key its effect; SESSION:OPERATION:SEQUENCE unless given
  --time          not before this logical time; 0 unless given
  --deadline      before this logical time; the last one unless given
  --seed          a file with the client's private key: 64 hexadecimal digits
  --endpoint-key  the endpoint's public key: 43 characters; what it does not sign is refused
  --timeout       how long each request may take; 300 unless given
  --proxy         goes through this proxy; through none unless given, whatever the environment says
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["manifest", base_url, options @ ..] => list(base_url, options),
        ["exchange", base_url, options @ ..] => exchange(base_url, options),
        _ => Err(Error::Host(USAGE.to_owned())),
    };
    match result.and_then(|text| say(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn say(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout();
    writeln!(out, "{text}").map_err(|error| Error::Host(error.to_string()))
}

/// One member a line.
fn list(base_url: &str, arguments: &[&str]) -> Result<String, Error> {
    let route = Options::read(arguments, USAGE.lines().next().unwrap_or_default())?.route()?;
    let manifest = Manifest::read(&Transport::new(base_url, &[], &route)?.manifest()?)?;
    let whole = Exact::parse(manifest.text(), usize::MAX)?;
    let line = |(name, value): (_, Value<'_>)| format!("{name}: {}", value.raw());
    Ok(whole.value().entries().map(line).collect::<Vec<_>>().join("\n"))
}

/// The response's envelope. What did not complete is an envelope, too.
fn exchange(base_url: &str, arguments: &[&str]) -> Result<String, Error> {
    let options = Options::read(arguments, USAGE)?;
    let session_id = options.required("session")?;
    let operation = options.required("operation")?;
    let sequence = options.number("sequence", 1)?;
    let name = format!("{session_id}:{operation}:{sequence}");
    let call = Call {
        request_id: options.text("request", &name),
        idempotency_key: options.text("key", &name),
        operation: Operation::parse(&operation).ok_or(Error::OperationUnavailable(operation))?,
        session_id,
        sequence,
        logical_time: LogicalTime::new(options.number("time", 0)?)?,
        deadline: LogicalTime::new(options.number("deadline", LogicalTime::MAX.as_u64())?)?,
        payload: Exact::parse(options.text("payload", "{}"), usize::MAX)?,
    };
    let mut party = Party::new(
        base_url,
        &options.route()?,
        options.text("client", "client:command"),
        options.find("seed"),
        options.find("endpoint-key"),
    )?;
    Ok(party.ask(call)?.text().to_owned())
}

/// `--name value` pairs.
struct Options<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Options<'a> {
    fn read(arguments: &[&'a str], usage: &str) -> Result<Self, Error> {
        let refused = |problem: String| Error::Host(format!("{problem}\n\n{USAGE}"));
        let mut options = BTreeMap::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let is_known = |name: &&str| usage.contains(&format!("--{name} "));
            let name = argument.strip_prefix("--").filter(is_known);
            let name = name.ok_or_else(|| refused(format!("`{argument}` is no option of this command")))?;
            let value = rest.next();
            let value = value.ok_or_else(|| refused(format!("expected a value behind `{argument}`")))?;
            if options.insert(name, *value).is_some() {
                return Err(refused(format!("expected `{argument}` once")));
            }
        }
        Ok(Options(options))
    }

    fn route(&self) -> Result<Route, Error> {
        let default = Route::default();
        Ok(Route {
            timeout: Duration::from_secs(self.number("timeout", default.timeout.as_secs())?),
            proxy: self.find("proxy").map(str::to_owned),
        })
    }

    fn find(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    fn text(&self, name: &str, default: &str) -> String {
        self.find(name).unwrap_or(default).to_owned()
    }

    fn required(&self, name: &str) -> Result<String, Error> {
        let missing = || Error::Host(format!("expected `--{name}`\n\n{USAGE}"));
        self.find(name).map(str::to_owned).ok_or_else(missing)
    }

    fn number(&self, name: &str, default: u64) -> Result<u64, Error> {
        let wrong = |_| Error::Host(format!("expected a whole number behind `--{name}`"));
        self.find(name)
            .map_or(Ok(default), |text| text.parse().map_err(wrong))
    }
}
