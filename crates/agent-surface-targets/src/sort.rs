//! A stable sort of places, in a small part of the bytes of the standard library's.
//!
//! It refuses to be generic. Called for names and priorities.

use alloc::vec::Vec;

/// The places from 0 up to `count`, in the order that `is_before` says; equal ones as they are.
pub fn order(count: usize, is_before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    for at in 0..count {
        let place = order.partition_point(|other| !is_before(at, *other));
        order.insert(place, at);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn equal_ones_stay_as_they_are() {
        let ranks = [2, 1, 2, 0, 1];
        assert_eq!(order(5, &|a, b| ranks[a] < ranks[b]), [3, 1, 4, 0, 2]);
        assert_eq!(order(0, &|_, _| true), []);
    }
}
