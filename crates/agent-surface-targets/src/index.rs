//! Finds texts in a list, and how often each was there before: by sorted places, so that a model that makes a thousand
//! calls costs a thousand times one.
//!
//! It refuses to hash and to change the list. Called for names of tools and ids of calls.

use agent_surface_json::sort;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A list of texts, to be searched.
pub struct Index<'a> {
    texts: Vec<&'a str>,
    /// Places by text; of equal ones in their order.
    order: Vec<u32>,
}

impl<'a> Index<'a> {
    pub fn new(texts: Vec<&'a str>) -> Index<'a> {
        let mut order: Vec<u32> = (0..).take(texts.len()).collect();
        let text = |at: u32| texts.get(at as usize);
        sort(&mut order, &|a, b| (text(a), a) < (text(b), b));
        Index { texts, order }
    }

    /// The first place of a text.
    pub fn find(&self, text: &str) -> Option<usize> {
        let at = *self.order.get(self.below(text, Ordering::Less))? as usize;
        (self.texts.get(at).copied() == Some(text)).then_some(at)
    }

    /// How often a text is there.
    pub fn count(&self, text: &str) -> usize {
        self.below(text, Ordering::Equal) - self.below(text, Ordering::Less)
    }

    /// How many texts are at most that far.
    fn below(&self, text: &str, most: Ordering) -> usize {
        let is_below = |at: &u32| {
            let other = self.texts.get(*at as usize);
            other.is_some_and(|other| (*other).cmp(text) <= most)
        };
        self.order.partition_point(is_below)
    }

    /// For each place, how many equal texts are before it.
    pub fn repeats(&self) -> Vec<u32> {
        let mut found = alloc::vec![0; self.texts.len()];
        let mut before: Option<(&str, u32)> = None;
        for at in &self.order {
            let text = self.texts.get(*at as usize).copied().unwrap_or_default();
            let count = match before {
                Some((other, count)) if other == text => count + 1,
                _ => 0,
            };
            if let Some(place) = found.get_mut(*at as usize) {
                *place = count;
            }
            before = Some((text, count));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn the_first_of_equal_texts_is_found_and_the_others_are_counted() {
        let index = Index::new(["b", "a", "b", "", "b"].to_vec());
        assert_eq!(index.find("b"), Some(0));
        assert_eq!(index.find("a"), Some(1));
        assert_eq!(index.find(""), Some(3));
        assert_eq!(index.find("c"), None);
        assert_eq!(["", "a", "b", "c"].map(|text| index.count(text)), [1, 1, 3, 0]);
        assert_eq!(index.repeats(), [0, 0, 1, 0, 2]);
        assert_eq!(Index::new(Vec::new()).find("a"), None);
    }
}
