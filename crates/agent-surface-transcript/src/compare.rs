//! Compares the outputs of a step with the expected ones.
//!
//! Two patterns only, both explicit: a line that ends in ` …` says how the output begins, and `N times …` stands for N
//! outputs in a row that begin so. Called by the crate's root.

/// What differs, as lines with `-` (expected) and `+` (came), or `None`.
pub(crate) fn difference(expected: &[String], came: &[String]) -> Option<String> {
    let mut rest = came.iter();
    let mut fits = true;
    'lines: for line in expected {
        let (times, pattern) = counted(line);
        for _ in 0..times {
            if !rest
                .next()
                .is_some_and(|output| matches(pattern, output, times > 1))
            {
                fits = false;
                break 'lines;
            }
        }
    }
    if fits && rest.next().is_none() {
        return None;
    }
    Some(render(expected, came))
}

fn counted(line: &str) -> (usize, &str) {
    line.split_once(" times ")
        .and_then(|(count, pattern)| Some((count.parse().ok()?, pattern)))
        .unwrap_or((1, line))
}

fn matches(pattern: &str, output: &str, begins: bool) -> bool {
    match pattern.strip_suffix(" …") {
        Some(start) => output.starts_with(start),
        None if begins => output.starts_with(pattern),
        None => output == pattern,
    }
}

fn render(expected: &[String], came: &[String]) -> String {
    let same = expected
        .iter()
        .zip(came)
        .take_while(|(a, b)| counted(a).0 == 1 && matches(a, b, false))
        .count();
    let mut out = String::new();
    for line in came.iter().take(same) {
        out.push_str("    ");
        out.push_str(line);
        out.push('\n');
    }
    for (mark, lines) in [("  - ", expected), ("  + ", came)] {
        for line in lines.iter().skip(same) {
            out.push_str(mark);
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.to_owned()).collect()
    }

    #[test]
    fn order_number_and_text_must_agree() {
        let came = lines(&["a 1", "a 2", "b"]);
        assert_eq!(difference(&came, &came), None);
        assert_eq!(difference(&lines(&["2 times a", "b"]), &came), None);
        assert_eq!(difference(&lines(&["a 1", "a …", "b"]), &came), None);
        for wrong in [
            &["a 1", "a 2"][..],
            &["3 times a", "b"],
            &["b", "2 times a"],
            &["a", "a 2", "b"],
            &[],
        ] {
            assert!(difference(&lines(wrong), &came).is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn a_difference_reads_like_one() {
        assert_eq!(
            difference(&lines(&["a", "b"]), &lines(&["a", "c"])).as_deref(),
            Some("    a\n  - b\n  + c\n")
        );
    }
}
