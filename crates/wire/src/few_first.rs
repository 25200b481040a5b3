//! A list whose first few items need no piece of memory of their own.
//!
//! Nearly every list of a message is that short, and each call has a dozen of them. What `smallvec` has for this
//! may not hold what borrows from something that is declared before it.

/// Items in the order in which they came.
#[derive(Clone)]
pub(crate) struct FewFirst<T> {
    few: [Option<T>; 4],
    /// None as long as there is room before.
    more: Vec<T>,
}

impl<T> FewFirst<T> {
    pub(crate) const fn new() -> Self {
        Self { few: [const { None }; 4], more: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(item),
            None => self.more.push(item),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.few.iter().flatten().chain(&self.more)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.few.iter_mut().flatten().chain(&mut self.more)
    }
}

impl<T> Default for FewFirst<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_there_in_their_order_however_many() {
        for count in 0..10 {
            let mut list = FewFirst::new();
            (0..count).for_each(|item| list.push(item));
            assert_eq!(list.iter().copied().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            list.iter_mut().for_each(|item| *item += 10);
            assert!(list.clone().iter().copied().eq(10..10 + count));
            assert_eq!(list.more.len(), usize::try_from(count).unwrap().saturating_sub(4));
        }
    }
}
