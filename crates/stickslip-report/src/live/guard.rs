//! Which requests are answered.
//!
//! | attack from a page elsewhere | what stops it |
//! |---|---|
//! | `fetch`, an image, a script, a frame | the token, which it does not know; `Sec-Fetch-Site`; the page may not be framed |
//! | a form that is posted | only GET is answered |
//! | a WebSocket | its `Origin`, which browsers always send and pages cannot choose, and the token |
//! | a name that resolves to 127.0.0.1 (DNS rebinding) | `Host`, which then is that name |

/// The head of a request, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Page,
    Socket,
}

impl Request {
    /// Reads a head, up to its empty line; none if it is no request.
    pub(super) fn read(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, target, version) = (first.next()?, first.next()?, first.next()?);
        if first.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let [method, path, query] = [method, path, query].map(str::to_owned);
        Some(Self { method, path, query, headers })
    }

    /// The only value of a header; an error where it is there twice.
    fn header(&self, name: &str) -> Result<Option<&str>, &'static str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err("a header is there twice"),
            (one, _) => Ok(one.map(|(_, value)| value.as_str())),
        }
    }

    fn token(&self) -> Option<&str> {
        self.query.split('&').find_map(|pair| pair.strip_prefix("token="))
    }

    /// What is asked for, or why it is refused.
    pub(super) fn check(&self, port: u16, token: &str) -> Result<Wanted, &'static str> {
        if self.method != "GET" {
            return Err("only GET is answered");
        }
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        match self.header("host")? {
            Some(host) if own.iter().any(|name| name == host) => {}
            _ => return Err("the Host is not this server"),
        }
        let origin = self.header("origin")?;
        let from_here = |origin: &str| {
            own.iter().any(|name| origin.strip_prefix("http://") == Some(name.as_str()))
        };
        if origin.is_some_and(|origin| !from_here(origin)) {
            return Err("the Origin is another one");
        }
        if self.header("sec-fetch-site")?.is_some_and(|s| s != "none" && s != "same-origin") {
            return Err("the request comes from another site");
        }
        let wanted = match self.path.as_str() {
            "/" => Wanted::Page,
            "/socket" if origin.is_none() => return Err("a socket needs an Origin"),
            "/socket" => Wanted::Socket,
            _ => return Err("there is nothing at this path"),
        };
        if !same(self.token().unwrap_or_default().as_bytes(), token.as_bytes()) {
            return Err("the token is missing or wrong; use the address that the program printed");
        }
        Ok(wanted)
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(first: &str, headers: &str) -> Result<Wanted, &'static str> {
        let head = format!("{first} HTTP/1.1\r\n{headers}\r\n\r\n");
        Request::read(&head).unwrap().check(4000, "secret")
    }

    const HOST: &str = "Host: 127.0.0.1:4000";

    #[test]
    fn the_page_and_the_socket_are_answered_with_the_token() {
        assert_eq!(ask("GET /?token=secret", HOST), Ok(Wanted::Page));
        assert_eq!(ask("GET /?token=secret", "host: localhost:4000"), Ok(Wanted::Page));
        let origin = format!("{HOST}\r\nOrigin: http://127.0.0.1:4000");
        assert_eq!(ask("GET /socket?token=secret", &origin), Ok(Wanted::Socket));
    }

    #[test]
    fn everything_else_is_refused() {
        let with = |more: &str| format!("{HOST}\r\n{more}");
        let cases = [
            ("GET /", HOST.to_owned()),
            ("GET /?token=secre", HOST.to_owned()),
            ("GET /?token=secretx", HOST.to_owned()),
            ("POST /?token=secret", HOST.to_owned()),
            ("OPTIONS /?token=secret", HOST.to_owned()),
            ("GET /?token=secret", "X: y".to_owned()),
            ("GET /?token=secret", "Host: evil.example:4000".to_owned()),
            ("GET /?token=secret", "Host: 127.0.0.1".to_owned()),
            ("GET /?token=secret", "Host: 127.0.0.1:4000.evil.example".to_owned()),
            ("GET /?token=secret", with("Host: evil.example")),
            ("GET /?token=secret", with("Origin: http://evil.example")),
            ("GET /?token=secret", with("Origin: null")),
            ("GET /?token=secret", with("Origin: https://127.0.0.1:4000")),
            ("GET /?token=secret", with("Sec-Fetch-Site: cross-site")),
            ("GET /?token=secret", with("Sec-Fetch-Site: same-site")),
            ("GET /socket?token=secret", HOST.to_owned()),
            ("GET /socket?token=no", with("Origin: http://127.0.0.1:4000")),
            ("GET /socket?token=secret", with("Origin: http://evil.example")),
            ("GET /../etc/passwd?token=secret", HOST.to_owned()),
        ];
        for (first, headers) in cases {
            assert!(ask(first, &headers).is_err(), "{first} {headers}");
        }
    }

    #[test]
    fn what_is_no_request_is_none() {
        for text in ["", "GET", "GET /", "GET / HTTP/2", "GET http://x/ HTTP/1.1\r\n\r\n"] {
            assert_eq!(Request::read(text), None, "{text}");
        }
        assert_eq!(Request::read("GET / HTTP/1.1\r\nno colon\r\n\r\n"), None);
    }
}
