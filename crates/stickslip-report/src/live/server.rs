//! The server: one page, one socket, on the loopback address alone.

use super::guard::{Request, Wanted};
use super::protocol::{Command, Message};
use super::simulation::Simulation;
use crate::ReportError;
use crate::page::{Page, page};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stickslip::run::Settings;
use stickslip_scene::Scene;
use stickslip_scene::recording::Units;
use stickslip_scene::recording::replay::Replay;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error as SocketError, WebSocket};

/// The longest head of a request.
const LONGEST_HEAD: usize = 8192;
/// How long a head may take to come.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections at a time.
const MOST: usize = 16;
/// How often a socket is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// The longest message of a page.
const LONGEST_MESSAGE: usize = 4096;
/// Messages that a page may be behind before it is given up.
const MOST_BEHIND: usize = 1000;

/// How long the step in progress may take when the program ends.
const LAST_STEP: Duration = Duration::from_secs(10);

/// What a simulation leaves: the report of a recording that went on until its end.
type Ended = Result<Option<PathBuf>, ReportError>;

/// How a live run is served.
#[derive(Clone, Debug)]
pub struct LiveSettings {
    /// The port; 0 for one that is free.
    pub port: u16,
    /// Where recordings go.
    pub out: PathBuf,
}

/// All that connections share.
struct Shared {
    port: u16,
    token: String,
    page: String,
    commands: Sender<Command>,
    pages: Mutex<Vec<Sender<Arc<str>>>>,
    connections: Mutex<usize>,
}

/// Serves a scene until `ended` returns true; the report of a recording that went on until then. `ready` is called with the address,
/// which includes the token.
///
/// # Errors
/// If the port is taken, there are no random numbers, the page or that report cannot be made, or the simulation comes to no end.
pub fn serve(
    (scene, settings): (&Scene, &Settings),
    live: &LiveSettings,
    ready: impl FnOnce(&str),
    ended: impl Fn() -> bool,
) -> Result<Option<PathBuf>, ReportError> {
    let failed = |what: &str, e: &dyn std::fmt::Display| {
        ReportError::file(Path::new("stickslip live"), format!("{what}: {e}"))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, live.port))
        .map_err(|e| failed(&format!("port {} cannot be used", live.port), &e))?;
    let port = listener.local_addr().map_err(|e| failed("no address", &e))?.port();
    listener.set_nonblocking(true).map_err(|e| failed("the listener cannot wait", &e))?;
    let replay = Replay::new(scene, &Units::of_scene(scene)).file();
    let content = Page { replay: &replay, summary: None, live: true };
    let (commands, received) = channel();
    let shared = Arc::new(Shared {
        port,
        token: token().map_err(|e| failed("there are no random numbers", &e))?,
        page: page(&content).map_err(|e| failed("the page cannot be made", &e))?,
        commands,
        pages: Mutex::default(),
        connections: Mutex::default(),
    });
    let address = format!("http://127.0.0.1:{port}/?token={}", shared.token);
    let scene = (scene.clone(), settings.clone());
    let simulation = simulate(scene, live.out.clone(), received, shared.clone());
    ready(&address);
    while !ended() && !simulation.is_finished() {
        match listener.accept() {
            Ok((stream, _)) => accept(stream, &shared),
            Err(_) => std::thread::sleep(LOOK),
        }
    }
    // It may have ended by itself.
    let _ = shared.commands.send(Command::End);
    finish(simulation)
}

/// Waits for the end of the simulation; what it wrote last.
fn finish(simulation: JoinHandle<Ended>) -> Ended {
    let failed = |what: &str| ReportError::file(Path::new("stickslip live"), what);
    let begin = Instant::now();
    while !simulation.is_finished() {
        if begin.elapsed() > LAST_STEP {
            return Err(failed("the step in progress takes too long; it is given up"));
        }
        std::thread::sleep(LOOK);
    }
    simulation.join().map_err(|_| failed("the simulation ended by an error of the program"))?
}

/// 128 random bits.
fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    let mut text = String::new();
    for byte in bytes {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Runs the simulation in a thread of its own.
fn simulate(
    scene: (Scene, Settings),
    out: PathBuf,
    commands: Receiver<Command>,
    shared: Arc<Shared>,
) -> JoinHandle<Ended> {
    std::thread::spawn(move || {
        let send = |message: &Message<'_>| {
            let Ok(text) = serde_json::to_string(message) else { return };
            let text: Arc<str> = text.into();
            let mut pages = shared.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.retain(|page| page.send(text.clone()).is_ok());
        };
        Simulation::new(scene, out, commands, &send).go_on()
    })
}

/// Answers a connection in a thread of its own.
fn accept(stream: TcpStream, shared: &Arc<Shared>) {
    let shared = shared.clone();
    {
        let mut count = shared.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if *count >= MOST {
            return;
        }
        *count += 1;
    }
    std::thread::spawn(move || {
        // A connection that breaks is the other side's business.
        let _ = answer(stream, &shared);
        *shared.connections.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    });
}

fn answer(mut stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = peek_head(&stream)?;
    let Some(request) = head.as_deref().and_then(Request::read) else {
        return refuse(&mut stream, "this is no request");
    };
    match request.check(shared.port, &shared.token) {
        Err(reason) => {
            // What was looked at is taken, so that closing does not cut the answer off.
            let mut taken = vec![0; head.map_or(0, |head| head.len())];
            stream.read_exact(&mut taken)?;
            refuse(&mut stream, reason)
        }
        Ok(Wanted::Page) => {
            let mut taken = vec![0; head.map_or(0, |head| head.len())];
            stream.read_exact(&mut taken)?;
            respond(&mut stream, "200 OK", "text/html; charset=utf-8", &shared.page)
        }
        Ok(Wanted::Socket) => {
            let config = WebSocketConfig::default()
                .max_message_size(Some(LONGEST_MESSAGE))
                .max_frame_size(Some(LONGEST_MESSAGE));
            match tungstenite::accept_with_config(stream, Some(config)) {
                Ok(socket) => talk(socket, shared),
                Err(e) => Err(io::Error::other(e.to_string())),
            }
        }
    }
}

/// The head of a request, left in the stream; none if it is too long, no text, or does not come.
fn peek_head(stream: &TcpStream) -> io::Result<Option<String>> {
    let begin = Instant::now();
    let mut buffer = vec![0; LONGEST_HEAD];
    loop {
        let n = stream.peek(&mut buffer)?;
        if let Some(end) = buffer[..n].windows(4).position(|w| w == b"\r\n\r\n") {
            return Ok(String::from_utf8(buffer[..end + 4].to_vec()).ok());
        }
        if n == 0 || n == LONGEST_HEAD || begin.elapsed() > PATIENCE {
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
}

fn refuse(stream: &mut TcpStream, reason: &str) -> io::Result<()> {
    respond(stream, "403 Forbidden", "text/plain; charset=utf-8", &format!("{reason}\n"))
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    // The page says itself what it may load; here is what only a header can say.
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\nContent-Security-Policy: frame-ancestors 'none'\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Hands on what comes from either side.
fn talk(mut socket: WebSocket<TcpStream>, shared: &Arc<Shared>) -> io::Result<()> {
    socket.get_ref().set_read_timeout(Some(LOOK))?;
    let (sender, messages) = channel();
    shared.pages.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
    let failed = |e: SocketError| io::Error::other(e.to_string());
    let gone = |_| io::Error::other("the simulation has ended");
    shared.commands.send(Command::Hello).map_err(gone)?;
    loop {
        let waiting: Vec<Arc<str>> = messages.try_iter().collect();
        if waiting.len() > MOST_BEHIND {
            return Err(io::Error::other("the page does not keep up"));
        }
        for text in waiting {
            socket.send(tungstenite::Message::text(&*text)).map_err(failed)?;
        }
        match socket.read() {
            Ok(tungstenite::Message::Text(text)) => {
                // What is no command is ignored.
                if let Ok(command) = serde_json::from_str(&text) {
                    shared.commands.send(command).map_err(gone)?;
                }
            }
            Ok(tungstenite::Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(SocketError::Io(e))
                if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(e) => return Err(failed(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulation_that_breaks_ends_the_server_with_an_error() {
        let broken = std::thread::spawn(|| -> Ended { panic!("a defect that the test is about") });
        assert!(finish(broken).unwrap_err().to_string().contains("error of the program"));
        let whole = std::thread::spawn(|| Ok(None));
        assert_eq!(finish(whole).unwrap(), None);
    }
}
