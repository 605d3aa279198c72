//! Other programs behind a pipe: one process per problem and method.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use stickslip_contact::ContactProblem;

/// How long a peer may take to load.
const LOADING: Duration = Duration::from_secs(120);

const SICONOS: &str = include_str!("../../../peers/siconos_fc3d.c");
const PINOCCHIO: &str = include_str!("../../../peers/pinocchio_contact.py");

/// A way to solve with a peer.
pub(crate) struct Method {
    /// The column of the table.
    pub(crate) column: &'static str,
    /// What the peer calls it.
    pub(crate) name: &'static str,
    /// Most contacts that it is given; a dense matrix does not fit beyond.
    pub(crate) most_contacts: usize,
    program: Program,
}

#[derive(Clone, Copy, PartialEq)]
enum Program {
    Siconos,
    Pinocchio,
}

/// All methods, those that tend to be fast first.
pub(crate) const METHODS: &[Method] = &[
    pinocchio("pin ADMM", "admm-sparse-spectral", usize::MAX),
    pinocchio("pin ADMM", "admm-sparse", usize::MAX),
    pinocchio("pin ADMM", "admm-dense-spectral", 500),
    pinocchio("pin ADMM", "admm-dense", 500),
    pinocchio("pin PGS", "pgs", 500),
    siconos("PROX", "prox"),
    siconos("PROX", "prox-mumps"),
    siconos("NSN_AC", "nsn-ac"),
    siconos("NSN_AC", "nsn-ac-mumps"),
    siconos("ADMM", "admm"),
    siconos("NSN_FB", "nsn-fb"),
    siconos("NSN_FB", "nsn-fb-mumps"),
    siconos("NSGS", "nsgs"),
    siconos("NSGS", "nsgs-quartic"),
    siconos("NSGS", "nsgs-projection"),
];

const fn siconos(column: &'static str, name: &'static str) -> Method {
    Method { column, name, most_contacts: usize::MAX, program: Program::Siconos }
}

const fn pinocchio(column: &'static str, name: &'static str, most_contacts: usize) -> Method {
    Method { column, name, most_contacts, program: Program::Pinocchio }
}

/// The folder with the peers' programs and the problem at hand, removed at the end.
pub(crate) struct Peers {
    folder: PathBuf,
    siconos: Option<PathBuf>,
    python: Option<PathBuf>,
}

impl Peers {
    /// Looks for the peers, and tells those that are missing.
    pub(crate) fn find(python: &Path, notice: &mut dyn FnMut(&str)) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("cone-compare-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut absent = |peer: &str, e: io::Error| {
            notice(&format!("{peer} is not at hand ({e}): it is left out.\n"));
        };
        let siconos = compile(&folder).map_err(|e| absent("Siconos", e)).ok();
        let script = folder.join("pinocchio_contact.py");
        std::fs::write(script, PINOCCHIO)?;
        let found = has_pinocchio(python).map_err(|e| absent("Pinocchio", e));
        let python = found.ok().map(|()| python.to_owned());
        Ok(Self { folder, siconos, python })
    }

    /// Hands the problem to the peers. All laws have to be Coulomb's in space.
    pub(crate) fn pose(&self, problem: &ContactProblem) -> io::Result<()> {
        std::fs::write(self.file(), binary(problem))
    }

    fn file(&self) -> PathBuf {
        self.folder.join("problem.bin")
    }

    /// Starts a method on the problem that was posed last; none if its program is missing.
    pub(crate) fn start(&self, method: &Method) -> io::Result<Option<Peer>> {
        let mut command = match (method.program, &self.siconos, &self.python) {
            (Program::Siconos, Some(program), _) => Command::new(program),
            (Program::Pinocchio, _, Some(python)) => {
                let mut command = Command::new(python);
                command.arg(self.folder.join("pinocchio_contact.py"));
                command
            }
            _ => return Ok(None),
        };
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(threads, "1");
        }
        command.arg(self.file()).arg(method.name);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Peer::new(command.spawn()?).map(Some)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A process that holds a problem.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

/// What a request came to.
pub(crate) enum Reply {
    /// Whether the peer says that it converged, its best time, and the impulses.
    Answer { converged: bool, seconds: f64, impulse: Vec<f64> },
    /// No answer within the limit.
    Late,
    /// The process ended.
    Crashed,
}

impl Peer {
    fn new(mut child: Child) -> io::Result<Self> {
        let input = child.stdin.take().ok_or_else(|| io::Error::other("no input"))?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Peers print messages of their own on the same stream.
                if let Some(answer) = line.strip_prefix("answer ")
                    && send.send(answer.to_owned()).is_err()
                {
                    return;
                }
            }
        });
        let peer = Self { child, input, answers };
        // To load a library and the problem is not part of any time.
        match peer.answers.recv_timeout(LOADING) {
            Ok(_) => Ok(peer),
            Err(e) => Err(io::Error::other(format!("a peer does not start: {e}"))),
        }
    }

    /// Solves to a tolerance of the peer's own, repeated for `seconds`.
    pub(crate) fn solve(&mut self, tolerance: f64, seconds: f64, limit: f64) -> Reply {
        use std::sync::mpsc::RecvTimeoutError::Timeout;
        if writeln!(self.input, "{tolerance:e} {seconds}").is_err() {
            return Reply::Crashed;
        }
        let _ = self.input.flush();
        match self.answers.recv_timeout(Duration::from_secs_f64(limit.max(seconds))) {
            Ok(line) => parse(&line).unwrap_or(Reply::Crashed),
            Err(Timeout) => Reply::Late,
            Err(_) => Reply::Crashed,
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: &str) -> Option<Reply> {
    let mut words = line.split_whitespace();
    let converged = words.next()?.parse::<i64>().ok()? == 0;
    let seconds = words.next()?.parse().ok()?;
    let impulse = words.map(|w| w.parse().unwrap_or(f64::NAN)).collect();
    Some(Reply::Answer { converged, seconds, impulse })
}

fn compile(folder: &Path) -> io::Result<PathBuf> {
    let (source, program) = (folder.join("siconos_fc3d.c"), folder.join("siconos_fc3d"));
    std::fs::write(&source, SICONOS)?;
    let output = Command::new("gcc")
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(&source)
        .args(["-I/usr/include/siconos/numerics", "-I/usr/include/siconos"])
        .args(["-lsiconos_numerics", "-lm"])
        .output()?;
    if output.status.success() {
        return Ok(program);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find(|l| l.contains("error")).unwrap_or("gcc failed");
    Err(io::Error::other(first.to_owned()))
}

fn has_pinocchio(python: &Path) -> io::Result<()> {
    let test = "import pinocchio, scipy; pinocchio.ADMMConstraintSolver";
    let output = Command::new(python).args(["-c", test]).output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(text.lines().last().unwrap_or("python failed").to_owned()))
}

/// The format that the peers' programs read.
fn binary(problem: &ContactProblem) -> Vec<u8> {
    let (w, k) = (problem.delassus().to_blocks(problem.laws()), problem.contacts());
    let whole = |n: usize| i32::try_from(n).unwrap_or(i32::MAX).to_ne_bytes();
    let mut out = [whole(k), whole(w.stored_blocks())].concat();
    let mut at = 0;
    out.extend(whole(0));
    for i in 0..k {
        at += w.row(i).count();
        out.extend(whole(at));
    }
    (0..k).flat_map(|i| w.row(i)).for_each(|(j, _)| out.extend(whole(j)));
    for (_, block) in (0..k).flat_map(|i| w.row(i)) {
        block.iter().for_each(|x| out.extend(x.to_ne_bytes()));
    }
    problem.bias().iter().for_each(|x| out.extend(x.to_ne_bytes()));
    for law in problem.laws() {
        out.extend(law.mu.to_ne_bytes());
    }
    out
}
