//! The known name with the nearest spelling.

/// The known name that fewest changes of letters lead to, if it is near: about a third of the letters differ, and never more than half.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const LONGEST: usize = 64;
    if name.chars().count() > LONGEST {
        return None;
    }
    let limit = name.chars().count().div_ceil(3).min(name.chars().count() / 2);
    let near = known.into_iter().filter(|other| other.chars().count() <= LONGEST);
    let best = near.map(|other| (distance(name, other), other)).min();
    best.filter(|(d, _)| *d <= limit).map(|(_, other)| other.to_owned())
}

/// Insertions, deletions, replacements and swaps of neighbours (Damerau 1964), capitals and underscores not counted.
fn distance(a: &str, b: &str) -> usize {
    let letters = |s: &str| -> Vec<char> {
        s.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replace = above[j] + usize::from(a[i] != b[j]);
            let mut best = replace.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word_and_others_do_not() {
        let known = ["revolute", "prismatic", "fixed", "continuous"];
        assert_eq!(nearest("revolutte", known).as_deref(), Some("revolute"));
        assert_eq!(nearest("fiexd", known).as_deref(), Some("fixed"));
        assert_eq!(nearest("Prismatic", known).as_deref(), Some("prismatic"));
        assert_eq!(nearest("spherical", known), None);
    }
}
