//! Building the manual, and the pages of it that are made from the code.

use crate::Outcome;
use crate::stages::{cargo_with, check};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where mdBook puts it.
const BUILT: &str = "book/build";

/// Builds the manual and checks that it can be read without a network.
pub(crate) fn build() -> Outcome {
    let found = Command::new("mdbook").arg("--version").stdout(Stdio::null()).status();
    if found.is_err() {
        return Err("mdbook is not on the PATH; `cargo install mdbook` installs it".to_owned());
    }
    check(Command::new("mdbook").args(["build", "book"]))?;
    let fetched = fetched_below(Path::new(BUILT)).map_err(|e| format!("{BUILT}: {e}"))?;
    if let [first, ..] = &fetched[..] {
        return Err(format!("{} things are fetched from a network, first {first}", fetched.len()));
    }
    println!("the book is at {BUILT}/index.html");
    Ok(())
}

/// Writes the generated pages by the tests that compare them with the code.
pub(crate) fn reference() -> Outcome {
    let write = [("STICKSLIP_BLESS", "1")];
    cargo_with(&write, "test -p stickslip-scene --test it schema::")?;
    cargo_with(&write, "test -p stickslip-cli --test cli reference::")
}

/// What the pages below a folder fetch, as `page: address`.
fn fetched_below(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(fetched_below(&path)?);
        } else if path.extension().is_some_and(|e| e == "html") {
            let page = fs::read_to_string(&path)?;
            all.extend(fetched(&page).map(|address| format!("{}: {address}", path.display())));
        }
    }
    Ok(all)
}

/// Addresses of scripts, styles and pictures of a page that are not beside it. Links that a reader may follow are none of these.
fn fetched(page: &str) -> impl Iterator<Item = &str> {
    let tags = page.split('<').filter(|tag| {
        ["script ", "link ", "img ", "iframe "].iter().any(|kind| tag.starts_with(kind))
    });
    let attributes = tags.flat_map(|tag| tag.split([' ', '>']));
    let addresses = attributes.filter_map(|attribute| {
        let value = attribute.strip_prefix("src=\"").or(attribute.strip_prefix("href=\""))?;
        value.split('"').next()
    });
    addresses.filter(|address| address.starts_with("http") || address.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_is_found_and_links_are_not() {
        let page = "<script src=\"https://cdn.x.org/a.js\"></script><a href=\"https://x.org\">x</a>\
                    <link rel=\"stylesheet\" href=\"book.css\"><img alt=\"y\" src=\"//y.org/z.png\">";
        let found: Vec<&str> = fetched(page).collect();
        assert_eq!(found, ["https://cdn.x.org/a.js", "//y.org/z.png"]);
    }
}
