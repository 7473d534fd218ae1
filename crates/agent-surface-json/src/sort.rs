//! A sort of index lists, in a twentieth of the bytes of the standard library's.
//!
//! It refuses to be generic and to be stable: the caller sorts `u32` indices and says what comes before what, ties
//! included. Called for object keys, equal items and character ranges, and by the crate of targets.

/// Sorts `order` by `is_before` in place: Shell's sort with the gaps of D. E. Knuth (The Art of Computer Programming,
/// volume 3, 5.2.1), O(n^1.5). What is sorted already costs little.
pub fn sort(order: &mut [u32], is_before: &dyn Fn(u32, u32) -> bool) {
    let mut gap = 1;
    while gap < order.len() / 9 {
        gap = gap * 3 + 1;
    }
    while gap > 0 {
        for end in gap..order.len() {
            let mut at = end;
            while let Some([left, .., right]) = at.checked_sub(gap).and_then(|from| order.get_mut(from..=at))
            {
                if !is_before(*right, *left) {
                    break;
                }
                core::mem::swap(left, right);
                at -= gap;
            }
        }
        gap /= 3;
    }
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn it_sorts_like_the_standard_library() {
        let mut seed = 7u32;
        for length in (0..200).chain([5_000]) {
            let keys: Vec<u32> = (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    seed >> 27
                })
                .collect();
            let mut order: Vec<u32> = (0..length).collect();
            let mut expected = order.clone();
            expected.sort_by_key(|index| keys[*index as usize]);
            let key = |index: u32| (keys[index as usize], index);
            sort(&mut order, &|a, b| key(a) < key(b));
            assert_eq!(order, expected);
        }
    }
}
