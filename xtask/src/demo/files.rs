//! Serves files of fixed folders by their address.
//!
//! It lists nothing, follows no path out of its folders and serves no hidden file. Called by the demo server.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::http::{Request, Response};

/// Folders by the start of the addresses that they answer, the longest first.
pub struct Files {
    folders: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// Serves these folders.
    pub fn new(folders: Vec<(&'static str, PathBuf)>) -> Self {
        Self { folders }
    }

    /// The file at the request's path.
    pub fn respond(&self, request: &Request) -> Response {
        if request.method != "GET" && request.method != "HEAD" {
            return Response::method_not_allowed("GET, HEAD");
        }
        let file = self
            .locate(&request.path)
            .and_then(|path| Some((fs::read(&path).ok()?, path)));
        match file {
            Some((body, path)) => Response {
                status: 200,
                content_type: content_type(&path),
                headers: Vec::new(),
                body,
            },
            None if self.is_page(request) => {
                Response::redirect(format!("{}/{}", request.path, request.search))
            }
            None => Response::error(404, "NOT_FOUND", "there is no such file", None),
        }
    }

    /// Whether a page is there whose address lacks the slash at its end, without which its own links go astray.
    fn is_page(&self, request: &Request) -> bool {
        let is_graphic = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        is_graphic(&request.path)
            && is_graphic(&request.search)
            && !request.path.ends_with('/')
            && self.locate(&format!("{}/", request.path)).is_some()
    }

    fn locate(&self, path: &str) -> Option<PathBuf> {
        let (folder, rest) = self
            .folders
            .iter()
            .find_map(|(start, folder)| Some((folder, path.strip_prefix(start)?)))?;
        let rest = if rest.is_empty() || rest.ends_with('/') {
            format!("{rest}index.html")
        } else {
            rest.to_owned()
        };
        // Only plain names: no `..`, no hidden file, no other separator, no drive letter, no NUL.
        let is_plain =
            |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '\0']);
        let mut full = folder.clone();
        for part in rest.split('/') {
            if !is_plain(part) {
                return None;
            }
            full.push(part);
        }
        full.is_file().then_some(full)
    }
}

fn content_type(path: &Path) -> &'static str {
    match path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
    {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_its_slash_is_sent_to_it() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let files = Files::new(vec![("/", root)]);
        let ask = |target: &str| files.respond(&Request::of("GET", target, "", ""));
        let redirected = ask("/www?lang=zh");
        assert_eq!(redirected.status, 307);
        assert_eq!(redirected.headers, [("Location", "/www/?lang=zh".to_owned())]);
        assert_eq!(ask("/www/").status, 200);
        for target in ["/docs", "/nothing", "//www", "/www?\r"] {
            assert_eq!(ask(target).status, 404, "{target}");
        }
    }

    #[test]
    fn a_path_never_leaves_its_folder() {
        let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let files = Files::new(vec![("/", own)]);
        assert!(files.locate("/Cargo.toml").is_some());
        assert!(files.locate("/src/main.rs").is_some());
        for path in [
            "/../Cargo.toml",
            "/src/../Cargo.toml",
            "//Cargo.toml",
            "/.",
            "/src",
            "/src\\main.rs",
            "/\0",
            "Cargo.toml",
        ] {
            assert!(files.locate(path).is_none(), "{path}");
        }
    }
}
