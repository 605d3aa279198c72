//! The share of problems that each solver settles, per family, as a Markdown table.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- table --sizes 3,30,300 --seeds 5
//! cargo run --release -p stickslip-lab -- table --write book/src/measurements/table.md
//! ```

use complementarity::Problem;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickslip_lab::{
    AUTO, Expected, Family, MixedFamily, Record, Verdict, auto_path, mixed_families, mixed_family,
    mixed_solvers, plain_families, plain_family, plain_solvers, run_mixed,
};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Runs every solver over every family and prints the share of problems that each settles.

Usage: lab table [options]

  --sizes LIST     sizes, separated by commas            [1,2,3,6,12,30,60,100]
  --seeds COUNT    instances per family and size         [5]
  --first-seed N   the seed of the first of them         [0]
  --family TEXT    only families whose name contains this
  --demanded       only families of which `auto` must settle all
  --solver TEXT    only solvers whose name contains this
  --threads COUNT  threads                               [all cores]
  --write FILE     put the table between the markers <!-- table:begin --> and <!-- table:end -->
  --save DIR       write each problem that `auto` fails on as JSON
  --slow SECONDS   list the solves that took longer      [5]

Example: lab table --sizes 30,100 --family friction --seeds 20
";

struct Options {
    sizes: Vec<usize>,
    seeds: u64,
    first_seed: u64,
    family: String,
    demanded: bool,
    solver: String,
    threads: usize,
    write: Option<PathBuf>,
    save: Option<PathBuf>,
    slow: f64,
}

impl Options {
    fn wants(&self, family: &str, demanded: bool) -> bool {
        family.contains(&self.family) && (demanded || !self.demanded)
    }
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let records = run_all(&options);
    let table = table(&options, &records);
    print!("{table}");
    report(&options, &records)?;
    if let Some(path) = &options.write {
        write_between_markers(path, "table", &table)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options {
        sizes: vec![1, 2, 3, 6, 12, 30, 60, 100],
        seeds: 5,
        first_seed: 0,
        family: String::new(),
        demanded: false,
        solver: String::new(),
        threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        write: None,
        save: None,
        slow: 5.0,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("sizes") => {
                let list = args.value()?.string()?;
                let sizes: Result<_, _> = list.split(',').map(str::parse).collect();
                o.sizes = sizes.map_err(|e| format!("--sizes {list}: {e}"))?;
            }
            Long("seeds") => o.seeds = args.value()?.parse()?,
            Long("first-seed") => o.first_seed = args.value()?.parse()?,
            Long("family") => o.family = args.value()?.string()?,
            Long("demanded") => o.demanded = true,
            Long("solver") => o.solver = args.value()?.string()?,
            Long("threads") => o.threads = args.value()?.parse::<usize>()?.max(1),
            Long("write") => o.write = Some(args.value()?.into()),
            Long("save") => o.save = Some(args.value()?.into()),
            Long("slow") => o.slow = args.value()?.parse()?,
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

enum Job {
    Plain(&'static Family, usize, u64),
    Mixed(&'static MixedFamily, usize, u64),
}

fn jobs(o: &Options) -> Vec<Job> {
    let mut jobs = Vec::new();
    // The largest first, so that no thread is left alone with one at the end.
    let mut sizes = o.sizes.clone();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    for n in sizes {
        for seed in o.first_seed..o.first_seed.saturating_add(o.seeds) {
            let plain = plain_families().iter().filter(|f| o.wants(f.name, f.demanded));
            jobs.extend(plain.map(|f| Job::Plain(f, n, seed)));
            let mixed = mixed_families().iter().filter(|f| o.wants(f.name, f.demanded));
            jobs.extend(mixed.map(|f| Job::Mixed(f, n, seed)));
        }
    }
    jobs
}

fn run_all(o: &Options) -> Vec<Record> {
    let jobs = jobs(o);
    let next = AtomicUsize::new(0);
    let records = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..o.threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = run_one(o, job);
                    // Told at once: a table that takes long should say with what.
                    for r in found.iter().filter(|r| r.time.as_secs_f64() > o.slow) {
                        eprintln!("{:.0} s: {r}", r.time.as_secs_f64());
                    }
                    records.lock().expect("no thread panics").extend(found);
                }
            });
        }
    });
    let mut records = records.into_inner().expect("no thread panics");
    records.sort_by_key(|r: &Record| (r.family, r.n, r.seed));
    records
}

fn run_one(o: &Options, job: &Job) -> Vec<Record> {
    match job {
        Job::Plain(family, n, seed) => {
            let instance = family.instance(*n, *seed);
            plain_solvers()
                .iter_mut()
                .filter(|s| s.name().contains(&o.solver))
                .map(|s| stickslip_lab::run(s.as_mut(), &instance))
                .collect()
        }
        Job::Mixed(family, n, seed) => {
            let instance = family.instance(*n, *seed);
            mixed_solvers()
                .iter_mut()
                .filter(|(name, _)| name.contains(&o.solver))
                .map(|(name, s)| run_mixed(name, s.as_mut(), &instance))
                .collect()
        }
    }
}

/// Whether the answer is the one that the theorem asks for.
fn settled(r: &Record) -> bool {
    match r.expected {
        Expected::Solvable => r.verdict == Verdict::Solved,
        Expected::Unsolvable => r.verdict == Verdict::Proved,
        Expected::Unknown => r.verdict.is_settled(),
    }
}

#[derive(Default)]
struct Cell {
    known: usize,
    settled: usize,
    unknown: usize,
    unknown_settled: usize,
}

impl Cell {
    fn count(&mut self, r: &Record) {
        if r.expected == Expected::Unknown {
            self.unknown += 1;
            self.unknown_settled += usize::from(settled(r));
        } else {
            self.known += 1;
            self.settled += usize::from(settled(r));
        }
    }

    fn text(&self) -> String {
        let percent = |part: usize, whole: usize| {
            // 100 means all of them.
            let rounded = (100.0 * part as f64 / whole as f64).round() as usize;
            if part < whole { rounded.min(99) } else { 100 }
        };
        match (self.known, self.unknown) {
            (0, 0) => "–".to_owned(),
            (0, unknown) => format!("({})", percent(self.unknown_settled, unknown)),
            (known, _) => percent(self.settled, known).to_string(),
        }
    }
}

fn table(o: &Options, records: &[Record]) -> String {
    let mut names: Vec<&str> = plain_solvers().iter().map(|s| s.name()).collect();
    names.extend(mixed_solvers().iter().map(|s| s.0));
    let mut seen = Vec::new();
    names.retain(|n| {
        n.contains(&o.solver) && !seen.contains(n) && {
            seen.push(n);
            true
        }
    });
    let mut cells: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    for r in records {
        cells.entry((r.family, r.solver)).or_default().count(r);
    }
    let sizes: Vec<String> = o.sizes.iter().map(usize::to_string).collect();
    let first =
        if o.first_seed > 0 { format!(", from seed {}", o.first_seed) } else { String::new() };
    let mut out = format!(
        "Share of problems settled, in per cent. Sizes {}; instances of each family and size: {}{first}.\n\n",
        sizes.join(", "),
        o.seeds
    );
    let _ = writeln!(out, "| problems | family | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|---|{}", "---:|".repeat(names.len()));
    let plain = plain_families().iter().map(|f| (f.group, f.name, f.demanded));
    let mixed = mixed_families().iter().map(|f| (f.group, f.name, f.demanded));
    let mut last = "";
    for (group, family, _) in
        plain.chain(mixed).filter(|(_, name, demanded)| o.wants(name, *demanded))
    {
        let cell = |solver: &&str| cells.get(&(family, *solver)).map_or("–".to_owned(), Cell::text);
        let row: Vec<String> = names.iter().map(cell).collect();
        let shown = if group == last { "" } else { group };
        let _ = writeln!(out, "| {shown} | `{family}` | {} |", row.join(" | "));
        last = group;
    }
    out
}

/// What must be looked into: lies, mirages, failures of `auto`, slow solves.
fn report(o: &Options, records: &[Record]) -> Result<(), Box<dyn Error>> {
    let section = |title: &str, wrong: &dyn Fn(&Record) -> bool| {
        let list: Vec<&Record> = records.iter().filter(|r| wrong(r)).collect();
        println!("\n{title}: {}", list.len());
        list.iter().for_each(|r| println!("- {r}"));
    };
    section("Lies", &|r| r.verdict.is_lie());
    section("Mirages", &|r| r.verdict == Verdict::Mirage);
    section("Slow solves", &|r| r.time.as_secs_f64() > o.slow);
    let demanded = |name: &str| {
        plain_family(name).is_some_and(|f| f.demanded)
            || mixed_family(name).is_some_and(|f| f.demanded)
    };
    let due =
        |r: &Record| r.solver == AUTO && r.expected != Expected::Unknown && demanded(r.family);
    let failed = |r: &Record| due(r) && !settled(r);
    let (wrong, all) =
        (records.iter().filter(|r| failed(r)).count(), records.iter().filter(|r| due(r)).count());
    println!("\nFailures of auto: {wrong} of {all} that it must settle");
    for r in records.iter().filter(|r| failed(r)) {
        let problem = problem_of(r);
        println!("- {r}{}", format_args!("; {}", auto_path(&problem)));
        if let Some(dir) = &o.save {
            std::fs::create_dir_all(dir)?;
            let path = dir.join(format!("{}-{}-{}.json", r.family, r.n, r.seed));
            std::fs::write(&path, problem.to_json())?;
            println!("  {}", path.display());
        }
    }
    Ok(())
}

fn problem_of(r: &Record) -> Problem {
    match plain_family(r.family) {
        Some(family) => Problem::Lcp(family.instance(r.n, r.seed).problem),
        None => {
            let family = mixed_family(r.family).expect("a record names a family");
            Problem::Mlcp(family.instance(r.n, r.seed).problem)
        }
    }
}
