//! What is not tried in every step, since it failed before.

/// Steps that are made without a try, since the last one failed: twice as many each time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patience {
    pub(super) left: u64,
    pub(super) last: u64,
}

/// Most steps that are made without trying.
const MOST_LEFT_OUT: u64 = 63;

impl Patience {
    /// Whether this step is tried.
    pub(super) fn tries(&mut self) -> bool {
        let tries = self.left == 0;
        self.left = self.left.saturating_sub(1);
        tries
    }

    /// Takes in how a try ended.
    pub(super) fn take(&mut self, solved: bool) {
        self.last = if solved { 0 } else { (2 * self.last + 1).min(MOST_LEFT_OUT) };
        self.left = self.last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of so many that are tried, of which none has an answer but those after `solved`.
    fn tried(steps: usize, solved: usize) -> Vec<usize> {
        let mut patience = Patience::default();
        let mut tried = Vec::new();
        for step in 0..steps {
            if patience.tries() {
                tried.push(step);
                patience.take(step >= solved);
            }
        }
        tried
    }

    #[test]
    fn steps_without_an_answer_are_tried_less_and_less_often_and_one_with_an_answer_ends_that() {
        assert_eq!(tried(40, 40), [0, 2, 6, 14, 30]);
        assert_eq!(tried(18, 10), [0, 2, 6, 14, 15, 16, 17]);
        let far = tried(1000, 1000);
        assert!(far.windows(2).all(|two| two[1] - two[0] <= 64), "{far:?}");
    }
}
