//! The command, as people call it, against the conformance endpoint.
//!
//! It refuses to read more than what it prints. The test runner calls it.

use crate::caller::{Caller, Server};
use crate::endpoint::{self, Sign};
use std::net::TcpListener;
use std::process::{Command, Output};

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agent-surface-host"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A port that nobody listens to.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn it_lists_a_manifest() {
    let server = Server::start(Sign::Both);
    let output = command(&["manifest", &server.base_url()]);
    let listed = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        listed.contains("endpointId: \"endpoint:conformance\"\n"),
        "{listed}"
    );
    let digest = Caller::new(&server, "client:conformance")
        .endpoint()
        .manifest()
        .digest()
        .text();
    assert!(
        listed.contains(&format!("manifestDigest: \"{digest}\"")),
        "{listed}"
    );
}

#[test]
fn it_makes_one_exchange_and_signs_and_verifies() {
    let server = Server::start(Sign::Both);
    let keys = endpoint::keys().unwrap();
    let of = |owner: &str, name: &str| keys["keys"][owner][name].as_str().unwrap().to_owned();
    let seed = std::env::temp_dir().join(format!("agent-surface-host-{}", std::process::id()));
    std::fs::write(&seed, of("client:conformance", "seedHex")).unwrap();
    let (base_url, key) = (
        server.base_url(),
        of("endpoint:conformance", "publicRawBase64Url"),
    );
    let with = |key: &str| {
        command(&[
            "exchange",
            &base_url,
            "--client",
            "client:conformance",
            "--session",
            "session:command",
            "--operation",
            "agent.step",
            "--payload",
            "{\"n\": 1.0}",
            "--seed",
            seed.to_str().unwrap(),
            "--endpoint-key",
            key,
        ])
    };
    let (good, bad) = (with(&key), with(&of("client:rogue", "publicRawBase64Url")));
    std::fs::remove_file(&seed).unwrap();
    assert!(good.status.success(), "{good:?}");
    assert!(text(&good.stdout).contains("\"echo\":{\"n\":1}"), "{good:?}");
    assert!(!bad.status.success());
    assert_eq!(text(&bad.stderr), "interop response signature is invalid\n");
}

#[test]
fn whoever_has_the_endpoints_key_takes_nothing_that_is_not_signed() {
    let server = Server::start(Sign::None);
    let keys = endpoint::keys().unwrap();
    let key = keys["keys"]["endpoint:conformance"]["publicRawBase64Url"]
        .as_str()
        .unwrap();
    let base_url = server.base_url();
    let plain = [
        "exchange",
        &base_url,
        "--session",
        "session:command",
        "--operation",
        "agent.step",
    ];
    assert!(command(&plain).status.success());
    let output = command(&[&plain[..], &["--endpoint-key", key]].concat());
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).starts_with("expected an endpoint that signs"),
        "{output:?}"
    );
}

#[test]
fn it_says_what_it_expects() {
    let exchange = ["exchange", "http://h/", "--operation", "agent.step"];
    for (arguments, more, says) in [
        (&[][..], &[][..], "agent-surface-host manifest"),
        (
            &exchange,
            &["--nonsense", "1"],
            "`--nonsense` is no option of this command",
        ),
        (&exchange, &["--session"], "expected a value behind `--session`"),
        (
            &exchange,
            &["--operation", "agent.step"],
            "expected `--operation` once",
        ),
        (&exchange, &[], "expected `--session`"),
        (
            &["manifest", "http://h/"],
            &["--session", "s:1"],
            "`--session` is no option",
        ),
    ] {
        let output = command(&[arguments, more].concat());
        let said = text(&output.stderr);
        assert!(!output.status.success());
        assert!(said.starts_with(says) && said.contains("--session ID"), "{said}");
    }
    let output = command(&["manifest", "ftp://h/"]);
    assert_eq!(text(&output.stderr), "interop HTTP protocol is invalid\n");
}

#[test]
fn it_goes_through_a_proxy_only_if_its_arguments_say_so() {
    let server = Server::start(Sign::None);
    let base_url = server.base_url();
    let output = Command::new(env!("CARGO_BIN_EXE_agent-surface-host"))
        .args(["manifest", &base_url])
        .envs(["http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| (name, nobody())))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let output = command(&["manifest", &base_url, "--proxy", &nobody()]);
    assert!(!output.status.success());
}

#[test]
fn it_does_not_wait_for_ever() {
    // The system takes the connection; nobody answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/", silent.local_addr().unwrap());
    let output = command(&["manifest", &base_url, "--timeout", "1"]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("timeout"), "{output:?}");
}

#[test]
fn a_private_key_is_64_digits_and_nothing_else() {
    let server = Server::start(Sign::None);
    let path = std::env::temp_dir().join(format!("agent-surface-host-bad-{}", std::process::id()));
    let ask = |content: String| {
        std::fs::write(&path, content).unwrap();
        let (base_url, seed) = (server.base_url(), path.to_str().unwrap());
        let rest = [
            "--session",
            "session:seed",
            "--operation",
            "agent.step",
            "--seed",
            seed,
        ];
        command(&[&["exchange", &base_url], &rest[..]].concat())
    };
    let good = ask(format!("  {}\n", "0a".repeat(32)));
    let bad = [
        "0a".repeat(31),
        "0a".repeat(33),
        "0g".repeat(32),
        "0a".repeat(200),
    ]
    .map(ask);
    std::fs::remove_file(&path).unwrap();
    assert!(good.status.success(), "{good:?}");
    for output in bad {
        assert!(
            text(&output.stderr).starts_with("expected 64 hexadecimal digits"),
            "{output:?}"
        );
    }
}
