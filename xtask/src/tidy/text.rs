//! Rules for single files: lengths, first lines, and what no file may hold.
//!
//! The words it looks for are put together from parts, so that this file does not hold them itself. Called by tidy.

use super::{Breaches, Source};

/// The most lines of a source file.
const SOURCE_LINES: usize = 600;
/// ARCHITECTURE.md stays under this.
const ARCHITECTURE_LINES: usize = 300;

/// What no file may hold, and why.
const FORBIDDEN: [(&str, &str); 9] = [
    (concat!("TO", "DO"), "finish it, or say it in an issue"),
    (concat!("FIX", "ME"), "finish it, or say it in an issue"),
    (concat!("/ro", "ot/"), "a path of some machine"),
    (concat!("/wo", "rk/"), "a path of some machine"),
    (concat!("registry.", "npmjs"), "a registry's host"),
    (concat!("index.", "crates.io"), "a registry's host"),
    (concat!("static.", "crates.io"), "a registry's host"),
    (concat!("python", "hosted"), "a registry's host"),
    (concat!("arti", "factory"), "a registry's host"),
];

/// What no Rust file may hold besides.
const FORBIDDEN_IN_RUST: [(&str, &str); 2] = [
    (concat!("#[ign", "ore"), "a test that does not run is no test"),
    (concat!("should_", "panic"), "assert on the error instead"),
];

/// What no JavaScript or TypeScript test may hold besides.
const FORBIDDEN_IN_SCRIPT_TESTS: [(&str, &str); 6] = [
    (concat!(".sk", "ip("), "a test that does not run is no test"),
    (concat!(".on", "ly("), "it switches the other tests off"),
    (concat!(".to", "do("), "a test that does not run is no test"),
    (concat!("sk", "ip: true"), "a test that does not run is no test"),
    (concat!("on", "ly: true"), "it switches the other tests off"),
    (
        concat!("@ts-", "ignore"),
        "use @ts-expect-error, which fails when nothing is wrong",
    ),
];

/// Files that hold text of this project, or its lock files.
pub fn is_checked(path: &str) -> bool {
    const EXTENSIONS: [&str; 17] = [
        "rs", "js", "mjs", "cjs", "ts", "mts", "cts", "toml", "json", "md", "css", "html", "txt", "lock",
        "svg", "yml", "npmrc",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, extension)) => EXTENSIONS.contains(&extension),
        None => name.starts_with("LICENSE") || path == ".ci/run",
    }
}

fn is_script(extension: &str) -> bool {
    ["js", "mjs", "cjs", "ts", "mts", "cts"].contains(&extension)
}

fn is_lock(path: &str) -> bool {
    path.ends_with("Cargo.lock") || path.ends_with("package-lock.json")
}

/// Checks one file.
pub fn check(source: &Source, breaches: &mut Breaches) {
    let (path, extension) = (source.path.as_str(), source.extension());
    check_length(source, breaches);
    if extension == "rs" && !source.text.starts_with("//!") {
        breaches.add(
            path,
            Some(1),
            "a Rust file opens with `//!`: what it is, what it refuses to do, who calls it",
        );
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') && !is_lock(path) {
        breaches.add(path, None, "the last line has no line break");
    }
    for (index, line) in source.text.lines().enumerate() {
        let mut add = |problem: &str| breaches.add(path, Some(index + 1), problem);
        if line.ends_with([' ', '\t']) {
            add("white space at the end of the line");
        }
        if is_lock(path) {
            check_lock_line(line, &mut add);
        }
        let lists = [
            (true, FORBIDDEN.as_slice()),
            (extension == "rs", FORBIDDEN_IN_RUST.as_slice()),
            (
                path.starts_with("tests/") && is_script(extension),
                FORBIDDEN_IN_SCRIPT_TESTS.as_slice(),
            ),
        ];
        let applicable = lists
            .iter()
            .filter(|(applies, _)| *applies)
            .flat_map(|(_, list)| *list);
        for (word, why) in applicable.filter(|(word, _)| line.contains(word)) {
            add(&format!("`{word}`: {why}"));
        }
    }
}

fn check_length(source: &Source, breaches: &mut Breaches) {
    let lines = source.text.lines().count();
    if (source.extension() == "rs" || is_script(source.extension())) && lines > SOURCE_LINES {
        breaches.add(
            &source.path,
            None,
            &format!("{lines} lines, {SOURCE_LINES} at most: split it"),
        );
    }
    if source.path == "ARCHITECTURE.md" && lines >= ARCHITECTURE_LINES {
        breaches.add(
            &source.path,
            None,
            &format!("{lines} lines, it stays under {ARCHITECTURE_LINES}"),
        );
    }
}

/// A lock file works with every mirror: it names no place to download from but cargo's usual word for crates.io.
fn check_lock_line(line: &str, add: &mut impl FnMut(&str)) {
    let line = line.trim_start();
    let cargo_source = line.strip_prefix("source = ");
    if cargo_source.is_some_and(|value| value != "\"registry+https://github.com/rust-lang/crates.io-index\"")
    {
        add("a source other than crates.io");
    }
    if line.starts_with("\"resolved\":") {
        add("a download address: tests/.npmrc keeps them out, make the lock file again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(path: &str, text: &str) -> Vec<String> {
        let mut found = Breaches::default();
        check(
            &Source {
                path: path.to_owned(),
                text: text.to_owned(),
            },
            &mut found,
        );
        found.0
    }

    #[test]
    fn each_rule_finds_its_breach() {
        assert_eq!(breaches("a.rs", "//! Fine.\n"), Vec::<String>::new());
        assert_eq!(breaches("a.rs", "fn a() {}\n").len(), 1);
        assert_eq!(breaches("a.rs", "//! a \n").len(), 1);
        assert_eq!(breaches("a.rs", "//! a").len(), 1);
        assert_eq!(breaches("a.rs", &"//! a\n".repeat(601)).len(), 1);
        assert_eq!(breaches("ARCHITECTURE.md", &"a\n".repeat(300)).len(), 1);
        assert_eq!(
            breaches("tests/a.test.mjs", concat!("test.on", "ly(1)\n")).len(),
            1
        );
        assert_eq!(
            breaches("pkg-template/a.js", concat!("list.sk", "ip(1)\n")).len(),
            0
        );
        assert_eq!(
            breaches("Cargo.lock", "source = \"registry+https://mirror.example\"\n").len(),
            1
        );
        assert_eq!(
            breaches("tests/package-lock.json", "  \"resolved\": \"https://x\",\n").len(),
            1
        );
        for (word, _) in FORBIDDEN.iter().chain(&FORBIDDEN_IN_RUST) {
            assert_eq!(breaches("a.rs", &format!("//! a\n{word}\n")).len(), 1, "{word}");
        }
    }
}
