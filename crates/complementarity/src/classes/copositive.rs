//! Copositive and strictly copositive: xᵀMx ≥ 0, or > 0, for x ≥ 0 other than 0.
//!
//! Notation: S = M + Mᵀ, twice the symmetric part; α, β sets of indices; S[α] a principal submatrix.

use super::forms::{self, Scaled, dependence, pad, symmetric_part, unit};
use super::{Class, Evidence, Finding, Settings};
use crate::Matrix;
use crate::exact::elimination::{Budget, Definiteness, Linear, definiteness, principal, solve};
use crate::exact::number::{Interval, Number, Sign, integers};
use crate::exact::wide::{WIDE_COST, wide};

/// Findings about the three classes.
pub(super) struct Copositivity {
    pub(super) strict: Finding,
    pub(super) plus: Finding,
    pub(super) weak: Finding,
}

/// Decides the copositive classes: first by what large matrices allow, then by search.
pub(super) fn copositive(m: &Matrix, settings: &Settings) -> Copositivity {
    let s = symmetric_part(m);
    let cheap = cheap(m, &s, settings);
    let decided = matches!(cheap.strict, Finding::Yes { .. })
        || matches!(cheap.weak, Finding::No(_))
        || ![&cheap.strict, &cheap.plus, &cheap.weak].iter().any(|f| f.is_open());
    if decided || m.rows() > settings.max_unknowns {
        return cheap;
    }
    let found = search(m, &s, settings);
    Copositivity {
        strict: cheap.strict.or(found.strict),
        plus: cheap.plus.or(found.plus),
        weak: cheap.weak.or(found.weak),
    }
}

impl Finding {
    /// The better of two answers to the same question.
    fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Yes { within, .. }, Self::Yes { within: better, .. }) if better < within => {
                other
            }
            (Self::Yes { .. }, Self::Yes { .. } | Self::TooLarge | Self::TooClose) => self,
            (Self::No(_), _) => self,
            _ => other,
        }
    }
}

/// Tests that cost O(n³) at most; `TooLarge` where they do not decide.
fn cheap(m: &Matrix, s: &Matrix, settings: &Settings) -> Copositivity {
    let n = m.rows();
    let [mut strict, mut plus, mut weak] =
        [Finding::TooLarge, Finding::TooLarge, Finding::TooLarge];
    for i in (0..n).filter(|&i| s[(i, i)] <= 0.0) {
        let beside = (0..n).find(|&j| s[(i, i)] == 0.0 && s[(i, j)] < 0.0);
        let x = beside.map_or_else(|| unit(n, i), |j| forms::zero_on_the_diagonal(s, i, j));
        let refuted = refute(m, x);
        if let Finding::No(_) = refuted.weak {
            return refuted;
        }
        (strict, plus) = (refuted.strict.or(strict), refuted.plus.or(plus));
    }
    let rest = without_nonnegative_rows(s);
    if rest.is_empty() {
        weak = Finding::yes("non-negative symmetric part");
    }
    // S = C + N with N ≥ 0: if C is positive (semi)definite, S is (strictly) copositive. C may be
    // S itself, or S without its positive entries off the diagonal.
    for clipped in [false, true] {
        let keep = |i: usize, j: usize| i == j || !clipped || s[(i, j)] < 0.0;
        let at = |i: usize, j: usize| if keep(i, j) { m[(i, j)] } else { 0.0 };
        let c = Matrix::from_fn(rest.len(), rest.len(), |i, j| at(rest[i], rest[j]));
        let sum = forms::definite(&c, settings);
        if let (Finding::TooLarge, Finding::Yes { .. }) = (&strict, &sum.strict) {
            strict = Finding::yes(SUM);
        }
        if let Finding::Yes { within, .. } = sum.weak {
            weak = weak.or(Finding::Yes { by: SUM, within });
        }
        // Where the form of C is negative, that of S may be so at the same place in the orthant.
        if let Finding::No(Evidence::Form { x }) = sum.weak {
            for guess in [x.iter().map(|v| v.abs()).collect(), clip(&x)] {
                let mut full = vec![0.0; n];
                rest.iter().zip(guess).for_each(|(&i, v): (_, f64)| full[i] = v);
                let refuted = refute(m, full);
                if let Finding::No(_) = refuted.weak {
                    return refuted;
                }
            }
        }
    }
    Copositivity { strict, plus, weak }
}

/// What is left of the indices when rows of S that are non-negative on what is left are taken away
/// one by one: x_i only adds to the form, so S is copositive if and only if the rest is.
fn without_nonnegative_rows(s: &Matrix) -> Vec<usize> {
    let mut rest: Vec<usize> = (0..s.rows()).collect();
    loop {
        let before = rest.len();
        let kept = rest.clone();
        rest.retain(|&i| kept.iter().any(|&j| s[(i, j)] < 0.0));
        if rest.len() == before {
            return rest;
        }
    }
}

const SUM: &str = "a positive semidefinite plus a non-negative matrix";

fn clip(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| v.max(0.0)).collect()
}

fn refute(m: &Matrix, x: Vec<f64>) -> Copositivity {
    let evidence = Evidence::Form { x };
    let checked = |class| Finding::checked(m, class, evidence.clone());
    Copositivity {
        strict: checked(Class::StrictlyCopositive),
        plus: checked(Class::CopositivePlus),
        weak: checked(Class::Copositive),
    }
}

/// Exact search for integers, else in intervals, and if that is too close once more with the
/// diagonal raised by rounding.
fn search(m: &Matrix, s: &Matrix, settings: &Settings) -> Copositivity {
    let n = m.rows();
    let twice = forms::twice_symmetric_part(m);
    if let Some(entries) = twice.as_ref().and_then(integers) {
        return Search::new(m, &entries, settings.max_work).run();
    }
    let at = |i: usize, j: usize| Interval::point(m[(i, j)]);
    let mut entries: Vec<Interval> =
        (0..n * n).map(|k| at(k / n, k % n).add(at(k % n, k / n))).collect();
    let found = Search::new(m, &entries, settings.max_work).run();
    if !matches!(found.weak, Finding::TooClose) {
        return found;
    }
    if let Some(entries) = twice.as_ref().and_then(wide) {
        let exact = Search::new(m, &entries, settings.max_work / WIDE_COST).run();
        if !exact.weak.is_open() {
            return exact;
        }
    }
    let scaled = Scaled::new(s, (0..n).filter(|&i| s[(i, i)] > 0.0).collect());
    for (k, &i) in scaled.ids.iter().enumerate() {
        let raised = s[(i, i)] * (1.0 + settings.rounding / scaled.matrix[(k, k)]);
        entries[i * n + i] = Interval::point(raised.max(s[(i, i)].next_up()));
    }
    let weak = match Search::new(m, &entries, settings.max_work).run().strict {
        Finding::Yes { by, .. } => Finding::Yes { by, within: settings.rounding },
        _ => Finding::TooClose,
    };
    Copositivity { weak, ..found }
}

/// A walk over the sets α whose S[α] is positive semidefinite, and those one index larger.
///
/// If S is not copositive, take a smallest α for which S[α] is not. Then S[β] is positive
/// semidefinite for each β ⊂ α, and S[α]⁻¹ ≤ 0 (Cottle, Habetler and Lemke 1970; Väliaho 1986), so
/// the walk comes to α, and x = −S[α]⁻¹e ≥ 0 has xᵀSx = −eᵀx < 0. If S is copositive but not
/// strictly, a smallest α with a zero of the form in its orthant has S[α] semidefinite with a
/// kernel of dimension one and S[β] definite for each β ⊂ α; and every zero of the form in the
/// orthant is a sum of such smallest ones (Hildebrand 2014), so that they decide copositive-plus.
/// Up to 2^n sets, O(|α|³) each.
struct Search<'a, N> {
    m: &'a Matrix,
    s: &'a [N],
    n: usize,
    budget: Budget,
    strict: Option<Evidence>,
    plus: Option<Evidence>,
    weak: Option<Evidence>,
    unsure: bool,
    unsure_strict: bool,
}

impl<'a, N: Number> Search<'a, N> {
    fn new(m: &'a Matrix, s: &'a [N], work: u64) -> Self {
        Self {
            m,
            s,
            n: m.rows(),
            budget: Budget(work),
            strict: None,
            plus: None,
            weak: None,
            unsure: false,
            unsure_strict: false,
        }
    }

    fn run(mut self) -> Copositivity {
        let finished = self.extend(&mut Vec::new(), true);
        if let Some(x) = self.weak {
            return Copositivity {
                strict: Finding::No(x.clone()),
                plus: Finding::No(x.clone()),
                weak: Finding::No(x),
            };
        }
        let open = |unsure: bool| match (finished, unsure) {
            (false, _) => Finding::TooLarge,
            (true, true) => Finding::TooClose,
            (true, false) => Finding::yes("search over principal submatrices"),
        };
        let unsure = self.unsure || self.unsure_strict;
        Copositivity {
            strict: self.strict.map_or(open(unsure), Finding::No),
            plus: self.plus.map_or(open(unsure), Finding::No),
            weak: open(self.unsure),
        }
    }

    /// Adds each larger index to α in turn. False when there is no more to do or to spend.
    fn extend(&mut self, alpha: &mut Vec<usize>, definite: bool) -> bool {
        for k in alpha.last().map_or(0, |&l| l + 1)..self.n {
            alpha.push(k);
            let r = alpha.len();
            if !self.budget.spend(r * r * r) {
                return false;
            }
            let on = match definiteness(principal(self.s, self.n, alpha), r) {
                Definiteness::Definite => self.extend(alpha, definite),
                Definiteness::Semidefinite => {
                    if definite {
                        self.look_for_zero(alpha);
                    }
                    self.extend(alpha, false)
                }
                Definiteness::Indefinite => self.look_for_negative(alpha),
                Definiteness::Unsure => {
                    self.look_for_zero(alpha);
                    self.unsure_strict = true;
                    self.look_for_negative(alpha) && self.extend(alpha, definite)
                }
            };
            alpha.pop();
            if !on {
                return false;
            }
        }
        true
    }

    fn look_for_zero(&mut self, alpha: &[usize]) {
        let Some((&k, beta)) = alpha.split_last() else {
            return;
        };
        let b = beta.iter().map(|&i| self.s[i * self.n + k]).collect();
        let a = principal(self.s, self.n, beta);
        let Some(x) = dependence(a, b) else {
            return;
        };
        if x.iter().any(|v| v.sign() == Sign::Negative) {
            return;
        }
        let refuted = refute(self.m, clip(&pad(&x, alpha, self.n)));
        if let Finding::No(evidence) = refuted.plus {
            self.plus = Some(evidence);
        }
        match refuted.strict {
            Finding::No(evidence) => self.strict = Some(evidence),
            _ => self.unsure_strict = true,
        }
    }

    /// False if a vector is found that ends the search.
    fn look_for_negative(&mut self, alpha: &[usize]) -> bool {
        let minus_ones = vec![N::ONE.negate(); alpha.len()];
        let x = match solve(principal(self.s, self.n, alpha), minus_ones) {
            Linear::Singular => return true,
            Linear::Unsure => {
                self.unsure = true;
                return true;
            }
            Linear::Regular { x, .. } => x,
        };
        if x.iter().any(|v| v.sign() == Sign::Negative) {
            return true;
        }
        match refute(self.m, clip(&pad(&x, alpha, self.n))).weak {
            Finding::No(evidence) => {
                self.weak = Some(evidence);
                false
            }
            _ => {
                self.unsure = true;
                true
            }
        }
    }
}

/// The search alone, without what the cheap tests decide before it: copositive, strictly so.
#[cfg(test)]
pub(super) fn search_integers(m: &Matrix) -> Option<(bool, bool)> {
    let entries = integers(&forms::twice_symmetric_part(m)?)?;
    let found = Search::new(m, &entries, u64::MAX).run();
    let yes = |f: Finding| matches!(f, Finding::Yes { .. });
    Some((yes(found.weak), yes(found.strict)))
}
