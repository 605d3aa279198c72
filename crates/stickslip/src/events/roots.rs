//! Zeros and minima of a function of one number, by bracketing.

/// Evaluations after which the best point so far is taken.
const LIMIT: usize = 80;

/// A zero of `f` between `a` and `b`, where it has values of different sign, by Brent's method: bisection
/// that is as fast as the secant rule where that works. Errors of `f` are passed on.
pub(super) fn zero<E>(
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let (mut c, mut fc) = (a, fa);
    let (mut d, mut e) = (b - a, b - a);
    for _ in 0..LIMIT {
        if (fb > 0.0) == (fc > 0.0) {
            (c, fc) = (a, fa);
            (d, e) = (b - a, b - a);
        }
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let tol = f64::EPSILON * b.abs();
        let middle = 0.5 * (c - b);
        if fb == 0.0 || middle.abs() <= tol {
            return Ok(b);
        }
        if e.abs() > tol && fa.abs() > fb.abs() {
            let s = fb / fa;
            let (mut p, mut q) = if a == c {
                (2.0 * middle * s, 1.0 - s)
            } else {
                let (r, w) = (fb / fc, fa / fc);
                let p = s * (2.0 * middle * w * (w - r) - (b - a) * (r - 1.0));
                (p, (w - 1.0) * (r - 1.0) * (s - 1.0))
            };
            if p > 0.0 {
                q = -q;
            }
            p = p.abs();
            if 2.0 * p < (3.0 * middle * q - (tol * q).abs()).min((e * q).abs()) {
                (e, d) = (d, p / q);
            } else {
                (d, e) = (middle, middle);
            }
        } else {
            (d, e) = (middle, middle);
        }
        (a, fa) = (b, fb);
        b += if d.abs() > tol { d } else { tol.copysign(middle) };
        fb = f(b)?;
    }
    Ok(b)
}

/// A point between `a` and `b` where `f` is not positive, or the least that golden sections find.
pub(super) fn dip<E>(
    mut a: f64,
    mut b: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    let share = 0.5 * (3.0 - 5.0_f64.sqrt());
    let (mut x, mut y) = (a + share * (b - a), b - share * (b - a));
    let (mut fx, mut fy) = (f(x)?, f(y)?);
    for _ in 0..LIMIT {
        if fx <= 0.0 {
            return Ok((x, fx));
        }
        if fy <= 0.0 {
            return Ok((y, fy));
        }
        if fx < fy {
            (b, y, fy) = (y, x, fx);
            x = a + share * (b - a);
            fx = f(x)?;
        } else {
            (a, x, fx) = (x, y, fy);
            y = b - share * (b - a);
            fy = f(y)?;
        }
        // Near a minimum a function is flat: half of the digits are all there are.
        if b - a <= 1e-9 {
            break;
        }
    }
    Ok(if fx < fy { (x, fx) } else { (y, fy) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_to_rounding() {
        let solve = |f: fn(f64) -> f64| {
            zero((0.0, f(0.0)), (1.0, f(1.0)), |x| Ok::<f64, ()>(f(x))).unwrap()
        };
        assert!((solve(|x| x.cos() - x) - 0.739_085_133_215_160_6).abs() < 2e-16);
        assert!((solve(|x| if x < 0.7 { -1e-9 } else { 1e9 }) - 0.7).abs() < 4e-16);
        // A triple zero has a third of the digits.
        assert!((solve(|x| (x - 0.3).powi(3)) - 0.3).abs() < 1e-5);
    }

    #[test]
    fn a_dip_below_zero_is_found_and_one_above_is_not() {
        let f = |depth: f64| move |x: f64| Ok::<f64, ()>((x - 0.61).powi(2) - depth);
        assert!(dip(0.0, 1.0, f(1e-8)).unwrap().1 <= 0.0);
        assert!(dip(0.0, 1.0, f(-1e-8)).unwrap().1 > 0.0);
    }
}
