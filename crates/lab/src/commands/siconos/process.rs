//! Siconos behind a pipe: a small C++ program is compiled where Siconos is installed.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use stickslip::system::Directions;
use stickslip::{State, System};

const SOURCE: &str = include_str!("siconos.cpp");

/// How many threads Siconos' linear algebra may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// One, as ours.
    One,
    /// As many as it takes by itself.
    AsInstalled,
}

/// A compiled program, in a folder of its own.
pub(crate) struct Program {
    folder: PathBuf,
    path: PathBuf,
}

/// A running process that holds a system.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Compiles it; an error if Siconos is not installed.
    pub(crate) fn compile() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("stickslip-siconos-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let program = Self { path: folder.join("siconos"), folder };
        compile(&program.folder.join("siconos.cpp"), &program.path)?;
        Ok(program)
    }

    /// Starts it with a system, given by [`describe`].
    pub(crate) fn start(&self, system: &str, threads: Threads) -> io::Result<Process> {
        let mut command = Command::new(&self.path);
        if threads == Threads::One {
            command.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1");
        }
        // Its warnings are for people who watch it; what it computes is compared here.
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.ok_or_else(|| io::Error::other("no output"))?);
        let mut process = Process { child, input, output };
        process.tell(system)?;
        Ok(process)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Process {
    /// q and u after each step, with a solver of Siconos by its name here.
    pub(crate) fn run(&mut self, solver: &str, dt: f64, steps: usize) -> io::Result<Vec<Vec<f64>>> {
        self.tell(&format!("solver {solver}\nrun {dt:e} {steps}"))?;
        (0..steps).map(|_| self.numbers()).collect()
    }

    /// Seconds for so many steps from the start.
    pub(crate) fn time(&mut self, solver: &str, dt: f64, steps: usize) -> io::Result<f64> {
        self.tell(&format!("solver {solver}\ntime {dt:e} {steps}"))?;
        let line = self.numbers()?;
        line.first().copied().ok_or_else(|| io::Error::other("no time from Siconos"))
    }

    fn tell(&mut self, text: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(|| io::Error::other("the input is closed"))?;
        writeln!(input, "{text}")?;
        input.flush()
    }

    fn numbers(&mut self) -> io::Result<Vec<f64>> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the Siconos process ended"));
        }
        line.split_whitespace().map(|w| w.parse().map_err(io::Error::other)).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn compile(source: &Path, program: &Path) -> io::Result<()> {
    std::fs::write(source, SOURCE)?;
    let include = ["kernel", "numerics", ""].map(|f| format!("-I/usr/include/siconos/{f}"));
    let output = Command::new("g++")
        .args(["-O2", "-std=c++17", "-o"])
        .arg(program)
        .arg(source)
        .args(include)
        .args(["-lsiconos_kernel", "-lsiconos_numerics"])
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find(|l| l.contains("error")).unwrap_or("g++ failed");
    Err(io::Error::other(first.to_owned()))
}

/// A system with constant M, K and directions and without damping, in the format that siconos.cpp reads: the
/// numbers are asked of the model itself.
///
/// # Errors
/// If the model is none of this kind, as far as two configurations tell.
pub(crate) fn describe<S: System>(system: &S, start: &State) -> Result<String, String> {
    let zero = vec![0.0; start.q.len()];
    let (here, there) = (linear_parts(system, start, &zero), linear_parts(system, start, &start.q));
    if here.constant != there.constant {
        return Err("the system is not linear".to_owned());
    }
    let mut text = String::new();
    let mut add = |numbers: &[f64]| {
        for x in numbers {
            // As many digits as give the same bits back.
            let _ = write!(text, "{x} ");
        }
        text.push('\n');
    };
    add(&[zero.len() as f64]);
    add(&here.constant[0]);
    add(&here.constant[1]);
    add(&here.load);
    add(&start.q);
    add(&start.u);
    let contacts = &system.info().contacts;
    add(&[contacts.len() as f64]);
    for (i, contact) in contacts.iter().enumerate() {
        add(&here.constant[2 + i]);
        let law = &contact.law;
        add(&[here.gaps[i], law.eps_n, law.eps_t, law.mu]);
    }
    Ok(text)
}

/// What a linear model says at a configuration.
struct LinearParts {
    /// M, K, then w_N and w_T of each contact: the same everywhere.
    constant: Vec<Vec<f64>>,
    load: Vec<f64>,
    gaps: Vec<f64>,
}

fn linear_parts<S: System>(system: &S, start: &State, q: &[f64]) -> LinearParts {
    use complementarity::Matrix;
    let f = q.len();
    let square = || Matrix::zeros(f, f);
    let (mut m, mut dq, mut du) = (square(), square(), square());
    let (mut load, mut gaps) = (vec![0.0; f], vec![0.0; system.info().contacts.len()]);
    system.mass(q, 0.0, &mut m);
    system.force_jacobians(q, &start.u, 0.0, &mut dq, &mut du);
    system.forces(q, &start.u, 0.0, &mut load);
    system.gaps(q, 0.0, &mut gaps);
    let stiffness = dq.as_slice().iter().map(|k| if *k == 0.0 { 0.0 } else { -k }).collect();
    let mut constant = vec![m.as_slice().to_vec(), stiffness];
    for contact in 0..gaps.len() {
        let mut rows = vec![0.0; 2 * f];
        let (normal, tangent) = rows.split_at_mut(f);
        let mut out = Directions { normal, tangent, normal_drive: 0.0, tangent_drive: 0.0 };
        system.directions(contact, q, 0.0, &mut out);
        constant.push(rows);
    }
    LinearParts { constant, load, gaps }
}
