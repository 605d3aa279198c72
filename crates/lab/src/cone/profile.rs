//! Performance profiles (Dolan and Moré 2002): the share of problems that a solver solves within a factor
//! τ of the time of the best solver for each problem; as a table and as a plot.

use std::fmt::Write;

/// The factors of the table.
pub const TAUS: [f64; 6] = [1.0, 1.5, 2.0, 5.0, 10.0, 100.0];

/// Times of every solver on every problem.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    solvers: Vec<&'static str>,
    /// Per problem the time of each solver over the best; infinite where it did not solve it.
    ratios: Vec<Vec<f64>>,
}

impl Profile {
    /// A profile of these solvers.
    pub fn new(solvers: Vec<&'static str>) -> Self {
        Self { solvers, ratios: Vec::new() }
    }

    /// Adds a problem: the time of each solver that solved it. One that none solved counts for none.
    pub fn add(&mut self, times: &[Option<f64>]) {
        let best = times.iter().flatten().fold(f64::INFINITY, |m, t| m.min(*t));
        let ratio = |t: &Option<f64>| t.map_or(f64::INFINITY, |t| t / best);
        self.ratios.push(times.iter().map(ratio).collect());
    }

    /// The share of problems that a solver solves within τ times the best time.
    pub fn share(&self, solver: usize, tau: f64) -> f64 {
        let within = self.ratios.iter().filter(|r| r[solver] <= tau).count();
        within as f64 / self.ratios.len().max(1) as f64
    }

    /// Shares in per cent, one row per solver.
    pub fn table(&self) -> String {
        let mut out = String::from("| solver |");
        TAUS.iter().for_each(|t| write!(out, " τ = {t} |").expect("text"));
        out.push_str("\n|---|");
        TAUS.iter().for_each(|_| out.push_str("---:|"));
        for (i, name) in self.solvers.iter().enumerate() {
            write!(out, "\n| `{name}` |").expect("text");
            TAUS.iter()
                .for_each(|&t| write!(out, " {} |", percent(self.share(i, t))).expect("text"));
        }
        out
    }

    /// The profiles over τ from 1 to 100 as a picture (SVG).
    pub fn plot(&self, title: &str) -> String {
        const COLOURS: [&str; 6] =
            ["#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#7b4fa3", "#555555"];
        let (left, top, width, height) = (60.0, 40.0, 520.0, 300.0);
        let x = |tau: f64| left + width * tau.log10() / 2.0;
        let y = |share: f64| top + height * (1.0 - share);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 400\" \
             font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"760\" height=\"400\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"24\" font-size=\"15\">{title}</text>\n"
        );
        let mut line = |from: (f64, f64), to: (f64, f64), text: (&str, f64, f64, &str)| {
            writeln!(
                out,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#dddddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\">{}</text>",
                from.0, from.1, to.0, to.1, text.1, text.2, text.3, text.0
            )
            .expect("text");
        };
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let label = format!("{} %", 100.0 * share);
            let at = y(share);
            line((left, at), (left + width, at), (&label, left - 6.0, at + 4.0, "end"));
        }
        for tau in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
            let (at, low) = (x(tau), top + height);
            line((at, top), (at, low), (&tau.to_string(), at, low + 18.0, "middle"));
        }
        let label = "τ: time over that of the fastest solver of the problem";
        writeln!(out, "<text x=\"320\" y=\"382\" text-anchor=\"middle\">{label}</text>")
            .expect("text");
        for (i, name) in self.solvers.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let mut path = String::new();
            for step in 0..=100 {
                let tau = 10_f64.powf(f64::from(step) / 50.0);
                let letter = if step == 0 { 'M' } else { 'L' };
                write!(path, "{letter}{:.1} {:.1}", x(tau), y(self.share(i, tau))).expect("text");
            }
            let at = top + 20.0 + 22.0 * i as f64;
            writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <path d=\"M600 {at}L625 {at}\" stroke=\"{colour}\" stroke-width=\"3\"/>\
                 <text x=\"632\" y=\"{:.1}\">{name}</text>",
                at + 4.0
            )
            .expect("text");
        }
        out.push_str("</svg>\n");
        out
    }
}

/// Per cent with one digit; 100 only for all of them.
pub fn percent(share: f64) -> String {
    if share >= 1.0 { "100".to_owned() } else { format!("{:.1}", (1000.0 * share).floor() / 10.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_count_what_is_within_the_factor_of_the_best() {
        let mut profile = Profile::new(vec!["a", "b"]);
        profile.add(&[Some(1.0), Some(3.0)]);
        profile.add(&[Some(4.0), Some(2.0)]);
        profile.add(&[None, Some(1.0)]);
        profile.add(&[None, None]);
        assert_eq!([1.0, 2.0, 100.0].map(|t| profile.share(0, t)), [0.25, 0.5, 0.5]);
        assert_eq!([1.0, 2.0, 3.0].map(|t| profile.share(1, t)), [0.5, 0.5, 0.75]);
        assert!(profile.table().contains("| `b` | 50.0 | 50.0 | 50.0 | 75.0 |"));
        assert!(profile.plot("title").ends_with("</svg>\n"));
    }

    #[test]
    fn only_all_is_a_hundred_per_cent() {
        assert_eq!(percent(1.0), "100");
        assert_eq!(percent(0.99999), "99.9");
    }
}
