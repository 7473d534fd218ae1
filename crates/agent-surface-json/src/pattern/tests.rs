//! Verdicts by ECMA-262 with the `u` flag; what is refused; time.
//!
//! It holds no code of the crate. The test runner calls it.

use super::Pattern;
use proptest::prelude::*;

/// Pattern, text, whether the pattern matches somewhere in the text.
const VERDICTS: &[(&str, &str, bool)] = &[
    ("abc", "xabcx", true),
    ("abc", "ab", false),
    ("", "", true),
    ("^$", "", true),
    ("^$", "a", false),
    ("^a", "ba", false),
    ("a$", "ab", false),
    ("^a*$", "", true),
    ("^a*$", "aaab", false),
    ("a+b", "caab", true),
    ("^a?$", "aa", false),
    ("^(a|b)*c$", "ababc", true),
    ("^(?:a|b)+$", "abx", false),
    ("a|", "zzz", true),
    ("^(?<year>\\d{4})-(?<month>\\d\\d)$", "2025-01", true),
    ("^\\d{4}$", "12345", false),
    ("^a{2}$", "aa", true),
    ("^a{2}$", "aaa", false),
    ("^a{2,}$", "a", false),
    ("^a{2,}$", "aaaaa", true),
    ("^a{2,3}$", "aaaa", false),
    ("^a{2,3}$", "aaa", true),
    ("^a{0}$", "", true),
    ("^a{0}b$", "b", true),
    ("^(?:ab){1,2}$", "abab", true),
    ("^a{0,0}$", "a", false),
    ("^a+?$", "aaa", true),
    ("^a*?b$", "aab", true),
    ("^a??b$", "ab", true),
    ("^a{1,2}?$", "aa", true),
    ("^[abc]+$", "cab", true),
    ("^[abc]+$", "cad", false),
    ("^[^abc]$", "d", true),
    ("^[^abc]$", "a", false),
    ("^[a-z]$", "m", true),
    ("^[a-z]$", "M", false),
    ("^[a-]$", "-", true),
    ("^[-a]$", "-", true),
    ("^[a\\-z]$", "-", true),
    ("^[a\\-z]$", "m", false),
    ("[]", "", false),
    ("[]", "a", false),
    ("^[^]$", "\n", true),
    ("^[\\d]$", "5", true),
    ("^[\\D]$", "5", false),
    ("^[^\\d]$", "5", false),
    ("^[\\w-]+$", "a-b_9", true),
    ("^[\\s\\S]$", "\u{2028}", true),
    ("^[\\b]$", "\u{8}", true),
    ("^[.]$", "a", false),
    ("^[.]$", ".", true),
    ("^[\\]]$", "]", true),
    ("^[$^]$", "^", true),
    ("^[a^]$", "^", true),
    ("^\\d$", "0", true),
    ("^\\d$", "\u{7c0}", false),
    ("^\\D$", "x", true),
    ("^\\w$", "_", true),
    ("^\\w$", "é", false),
    ("^\\W$", "é", true),
    ("^\\s$", "\u{a0}", true),
    ("^\\s$", "\u{feff}", true),
    ("^\\s$", "\u{2003}", true),
    ("^\\s$", "\u{180e}", false),
    ("^\\S$", "–", true),
    ("^\\s$", "\u{b}", true),
    ("^\\s$", "\u{85}", false),
    ("^.$", "\n", false),
    ("^.$", "\r", false),
    ("^.$", "\u{2028}", false),
    ("^.$", "\u{2029}", false),
    ("^.$", "\u{85}", true),
    ("^.$", "😀", true),
    ("^..$", "😀", false),
    ("^[😀]$", "😀", true),
    ("^[😀-😃]$", "😁", true),
    ("^\\u{1F600}$", "😀", true),
    ("^\\uD83D\\uDE00$", "😀", true),
    ("^\\uD83D$", "😀", false),
    ("^\\u0041$", "A", true),
    ("^\\u{0041}$", "A", true),
    ("^\\x41$", "A", true),
    ("^\\cA$", "\u{1}", true),
    ("^\\cj$", "\n", true),
    ("^\\0$", "\u{0}", true),
    ("^\\t\\n\\v\\f\\r$", "\t\n\u{b}\u{c}\r", true),
    ("^\\.$", "a", false),
    ("^\\.$", ".", true),
    ("^\\/$", "/", true),
    (
        "^\\[\\]\\{\\}\\(\\)\\*\\+\\?\\|\\^\\$\\\\$",
        "[]{}()*+?|^$\\",
        true,
    ),
    ("\\bfoo\\b", "a foo b", true),
    ("\\bfoo\\b", "afoo", false),
    ("\\Boo", "foo", true),
    ("\\Bfoo", "foo", false),
    ("^\\b", "a", true),
    ("\\b", "", false),
    ("\\B", "", true),
    ("\\bé", "é", false),
    ("^(?=.*\\d)(?=.*[A-Z]).{4,}$", "abC1", true),
    ("^(?=.*\\d)(?=.*[A-Z]).{4,}$", "abc1", false),
    ("^(?!admin)\\w+$", "admin1", false),
    ("^(?!admin)\\w+$", "user", true),
    ("(?<=\\$)\\d+", "cost $42", true),
    ("(?<=\\$)\\d+", "cost 42", false),
    ("(?<!-)\\b\\d", "-5", false),
    ("(?<!-)\\b\\d", "5", true),
    ("a(?=b)b", "ab", true),
    ("a(?!b)", "ab", false),
    ("a(?!b)", "aba", true),
    ("(?<=^a)b", "ab", true),
    ("(?<=^a)b", "cab", false),
    ("(?<=ab|c)d", "abd", true),
    ("(?<=ab|c)d", "cd", true),
    ("(?<=ab|c)d", "bd", false),
    ("(?=(?=a)a)a", "a", true),
    ("(?!(?!a))a", "a", true),
    ("(?<=(?<!x)a)b", "ab", true),
    ("(?<=(?<!x)a)b", "xab", false),
    ("(?=a{2}b)a", "aab", true),
    ("(?<=a{2})b", "aab", true),
    ("(?<=a{2})b", "ab", false),
    ("(?<=a)b", "baab", true),
    ("(?<=b)a(?=a)", "bbabaab", true),
    ("(?:(?=a)a)*b", "aab", true),
    ("((?=a))*a", "a", true),
    ("(?<=a(?=b))b", "ab", true),
    ("(?=$)", "", true),
    ("a(?=b$)", "abc", false),
    ("(?=ab)a(?<=a)b", "ab", true),
    ("^(a+)+$", "aaaa!", false),
    ("^(a|aa)+$", "aaaa", true),
    ("^(a*)*$", "b", false),
    ("^(?:a?){5}a{5}$", "aaaaa", true),
    ("^(?:)*$", "", true),
    ("(){99}x", "x", true),
    ("^(?:x|)*y$", "xxy", true),
    ("^a|b$", "ac", true),
    ("^a|b$", "cb", true),
    ("^(?:a|b)$", "ac", false),
    ("ß", "SS", false),
    ("^\\u{61}{3}$", "aaa", true),
    ("^😀{2}$", "😀😀", true),
    ("^[\\uD83D\\uDE00]$", "😀", true),
    ("^[\\u{1F600}-\\u{1F64F}]+$", "😀😁", true),
    ("^[^x]$", "😀", true),
    ("^[\\x00-\\x1f]$", "\u{1f}", true),
    ("^(?:a|(?:b|(?:c)))$", "c", true),
    ("^$a", "", false),
    ("a^", "", false),
    ("(?:^a)", "a", true),
    ("x*", "y", true),
    ("\\d+(?:\\.\\d+)?", "v1.2", true),
    (
        "^[A-Za-z0-9._%+\\-]+@[A-Za-z0-9.\\-]+\\.[A-Za-z]{2,}$",
        "a.b@c.io",
        true,
    ),
    ("^#[0-9a-fA-F]{6}$", "#00ffAA", true),
    ("^#[0-9a-fA-F]{6}$", "#00ffAg", false),
];

/// Syntax errors of `u` mode, backreferences and Unicode properties.
const REFUSED: &[&str] = &[
    "\\-",
    "{",
    "}",
    "]",
    "a{",
    "a{1",
    "a{,5}",
    "a{2,1}",
    "*a",
    "+",
    "?",
    "a**",
    "a{1}{2}",
    "^*",
    "$+",
    "\\b+",
    "(?=a)*",
    "(?!a)+",
    "(?<=a)?",
    "(",
    "(a",
    ")",
    "a)",
    "(?a)",
    "(?i:a)",
    "(?<a",
    "(?<>a)",
    "(?<1a>x)",
    "(?<a>x)(?<a>y)",
    "[",
    "[a",
    "[b-a]",
    "[\\d-z]",
    "[a-\\d]",
    "[\\w-\\s]",
    "\\",
    "\\a",
    "\\e",
    "\\_",
    "\\8",
    "\\1",
    "(a)\\1",
    "\\k",
    "\\k<a>",
    "(?<a>x)\\k<a>",
    "\\c",
    "\\c1",
    "\\x",
    "\\x1",
    "\\x1g",
    "\\u",
    "\\u12",
    "\\u{}",
    "\\u{110000}",
    "\\u{1",
    "\\00",
    "\\01",
    "[\\00]",
    "[\\1]",
    "[\\c]",
    "[\\B]",
    "\\p{L}",
    "\\P{L}",
    "[\\p{L}]",
    "\\p",
    "(?<",
    "(?",
    "a{1,2",
    "\\u{12345678901}",
    "\\ ",
    "\\é",
    "(?<a b>x)",
    "[\\a]",
];

#[test]
fn verdicts_are_those_of_ecma_262() {
    for (source, text, expected) in VERDICTS {
        let pattern = Pattern::compile(source).unwrap();
        assert_eq!(pattern.is_match(text), *expected, "/{source}/u on {text:?}");
    }
}

#[test]
fn what_u_mode_refuses_is_refused_and_so_is_what_is_not_linear() {
    for source in REFUSED {
        assert!(Pattern::compile(source).is_err(), "/{source}/u");
    }
}

#[test]
fn a_refusal_says_how_to_write_it() {
    let message = Pattern::compile("a{").unwrap_err().message();
    assert_eq!(
        message,
        "a repetition is `{n}`, `{n,}` or `{n,m}`: write `\\{` for the character (at character 2)"
    );
    assert!(
        Pattern::compile("\\p{L}")
            .unwrap_err()
            .message()
            .contains("list the ranges")
    );
}

#[test]
fn a_nested_quantifier_does_not_explode() {
    let pattern = Pattern::compile("^(a+)+$").unwrap();
    let mut text = "a".repeat(40);
    assert!(pattern.is_match(&text));
    text.push('!');
    assert!(!pattern.is_match(&text));
}

#[test]
fn a_long_text_is_read_to_its_end() {
    let mut text = "ab ".repeat(67_000);
    assert!(!Pattern::compile("^(a|b|ab| )*!$").unwrap().is_match(&text));
    assert!(!Pattern::compile("(?<=!)x|(\\w+\\s?)+!").unwrap().is_match(&text));
    text.push('!');
    assert!(Pattern::compile("^(a|b|ab| )*!$").unwrap().is_match(&text));
    assert!(Pattern::compile("^(?=.*!)(?:(?!x).)*$").unwrap().is_match(&text));
}

#[test]
fn sets_that_never_come_again_are_forgotten_and_the_verdict_stays_right() {
    let pattern = Pattern::compile("(a|b)*a(?:a|b){299}!").unwrap();
    let mut seed = 1u32;
    let mut text: Vec<char> = Vec::new();
    while text.len() < 30_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push(if seed >> 31 == 0 { 'a' } else { 'b' });
    }
    for decisive in ['a', 'b'] {
        let place = text.len() - 300;
        text[place] = decisive;
        let text: String = text.iter().chain(&['!', 'b']).collect();
        assert_eq!(pattern.is_match(&text), decisive == 'a');
    }
}

#[test]
fn a_large_program_on_a_long_text_settles_into_known_sets() {
    let mut text = "a".repeat(200_000);
    let pattern = Pattern::compile("a{1000}b|[a-z]{200}!$").unwrap();
    assert!(!pattern.is_match(&text));
    text.push('!');
    assert!(pattern.is_match(&text));
}

#[test]
fn programs_and_nesting_are_bounded() {
    assert!(Pattern::compile("^[a-z]{1,1000}$").is_ok());
    for source in [
        "a{5000}",
        "(?:(?:a{100}){100}){100}",
        "(?:a|b){4000000000,}",
        "(?:(?=a)){1,9999999}",
    ] {
        assert!(
            Pattern::compile(source)
                .unwrap_err()
                .message()
                .contains("maxLength"),
            "{source}"
        );
    }
    assert!(Pattern::compile("(?:){99999999999}").is_ok());
    let deep = ["(".repeat(8000), ")".repeat(8000)].concat();
    assert!(Pattern::compile(&deep).unwrap_err().message().contains("nested"));
    let looks = "(?=a)".repeat(33);
    assert!(Pattern::compile(&looks).is_err());
}

/// Patterns over a small alphabet; the oracle is the definition itself, written as a set of ends.
#[derive(Clone, Debug)]
enum Shape {
    Point(char),
    All(Vec<Shape>),
    Any(Vec<Shape>),
    Repeat(Box<Shape>, usize, usize),
    Look(Box<Shape>, bool, bool),
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![Just(Shape::Point('a')), Just(Shape::Point('b'))];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Shape::All),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Shape::Any),
            (inner.clone(), 0..3usize, 0..3usize).prop_map(|(body, min, more)| Shape::Repeat(
                Box::new(body),
                min,
                min + more
            )),
            (inner, any::<bool>(), any::<bool>()).prop_map(|(body, behind, negative)| Shape::Look(
                Box::new(body),
                behind,
                negative
            )),
        ]
    })
}

fn write(shape: &Shape, out: &mut String) {
    match shape {
        Shape::Point(char) => out.push(*char),
        Shape::All(terms) => terms.iter().for_each(|term| write(term, out)),
        Shape::Any(branches) => {
            out.push_str("(?:");
            for (at, branch) in branches.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "|" });
                write(branch, out);
            }
            out.push(')');
        }
        Shape::Repeat(body, min, max) => {
            out.push_str("(?:");
            write(body, out);
            out.extend([")".into(), format!("{{{min},{max}}}")]);
        }
        Shape::Look(body, is_behind, is_negative) => {
            out.push_str(if *is_behind { "(?<" } else { "(?" });
            out.push(if *is_negative { '!' } else { '=' });
            write(body, out);
            out.push(')');
        }
    }
}

/// Every position where a match of `shape` that begins at `from` can end.
fn ends(shape: &Shape, text: &[char], from: usize) -> Vec<usize> {
    let mut out = match shape {
        Shape::Point(char) => {
            if text.get(from) == Some(char) {
                vec![from + 1]
            } else {
                vec![]
            }
        }
        Shape::All(terms) => terms.iter().fold(vec![from], |starts, term| {
            let mut out: Vec<usize> = starts.iter().flat_map(|start| ends(term, text, *start)).collect();
            out.sort_unstable();
            out.dedup();
            out
        }),
        Shape::Any(branches) => branches
            .iter()
            .flat_map(|branch| ends(branch, text, from))
            .collect(),
        Shape::Repeat(body, min, max) => {
            let mut reached = vec![from];
            let mut out = if *min == 0 { vec![from] } else { vec![] };
            for count in 1..=*max {
                reached = reached
                    .iter()
                    .flat_map(|start| ends(body, text, *start))
                    .collect();
                if count >= *min {
                    out.extend(&reached);
                }
            }
            out
        }
        Shape::Look(body, false, is_negative) => {
            if ends(body, text, from).is_empty() == *is_negative {
                vec![from]
            } else {
                vec![]
            }
        }
        Shape::Look(body, true, is_negative) => {
            let holds = (0..=from).any(|start| ends(body, text, start).contains(&from));
            if holds == *is_negative { vec![] } else { vec![from] }
        }
    };
    out.sort_unstable();
    out.dedup();
    out
}

proptest! {
    // A wrong set shows in one of thousands.
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn the_machine_agrees_with_the_definition(shape in shape(), text in "[ab]{0,9}") {
        let mut source = String::new();
        write(&shape, &mut source);
        let points: Vec<char> = text.chars().collect();
        let expected = (0..=points.len()).any(|from| !ends(&shape, &points, from).is_empty());
        prop_assert_eq!(Pattern::compile(&source).unwrap().is_match(&text), expected, "/{}/u on {}", source, text);
    }

    #[test]
    fn no_source_and_no_text_breaks_it(source in "[ab()\\[\\]{}?*+|^$.,:=!<>0-9\\\\dwsbBux-]{0,24}", text in "\\PC{0,8}") {
        if let Ok(pattern) = Pattern::compile(&source) {
            pattern.is_match(&text);
        }
    }
}
