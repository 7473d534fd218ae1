//! A stable sort of small index lists, in a tenth of the bytes of the standard library's.
//!
//! It refuses to be generic: the caller sorts `u32` indices and says what comes before what.
//! Called for object keys, schema properties and character ranges.

/// Up to this many items an insertion sort needs no second buffer and is the fastest.
const INSERTION_MAX: usize = 16;

/// Sorts `order` by `is_before`, stably, in O(n log n).
pub(crate) fn sort(order: &mut [u32], is_before: &dyn Fn(u32, u32) -> bool) {
    if order.len() <= INSERTION_MAX {
        insertion_sort(order, is_before);
        return;
    }
    let mut from = order.to_vec();
    let mut to = Vec::with_capacity(order.len());
    let mut width = 1;
    while width < from.len() {
        to.clear();
        for pair in from.chunks(width.saturating_mul(2)) {
            let (left, right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            merge(left, right, &mut to, is_before);
        }
        core::mem::swap(&mut from, &mut to);
        width = width.saturating_mul(2);
    }
    for (slot, index) in order.iter_mut().zip(from) {
        *slot = index;
    }
}

fn insertion_sort(order: &mut [u32], is_before: &dyn Fn(u32, u32) -> bool) {
    for end in 1..order.len() {
        let mut at = end;
        while let Some([left, right]) = at.checked_sub(1).and_then(|from| order.get_mut(from..=at)) {
            if !is_before(*right, *left) {
                break;
            }
            core::mem::swap(left, right);
            at -= 1;
        }
    }
}

fn merge(mut left: &[u32], mut right: &[u32], to: &mut Vec<u32>, is_before: &dyn Fn(u32, u32) -> bool) {
    while let (Some((a, left_rest)), Some((b, right_rest))) = (left.split_first(), right.split_first()) {
        if is_before(*b, *a) {
            to.push(*b);
            right = right_rest;
        } else {
            to.push(*a);
            left = left_rest;
        }
    }
    to.extend_from_slice(left);
    to.extend_from_slice(right);
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn it_sorts_like_the_standard_library_and_keeps_equals_in_order() {
        let mut seed = 7u32;
        for length in 0..200 {
            let keys: Vec<u32> = (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    seed >> 27
                })
                .collect();
            let mut order: Vec<u32> = (0..length).collect();
            let mut expected = order.clone();
            expected.sort_by_key(|index| keys[*index as usize]);
            sort(&mut order, &|a, b| keys[a as usize] < keys[b as usize]);
            assert_eq!(order, expected);
        }
    }
}
