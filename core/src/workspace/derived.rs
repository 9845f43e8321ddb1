//! What follows from all that is loaded, kept until that changes.
//!
//! A dialect whose subjects depend on each other would otherwise work out the same for each of them.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::value::collections::SortedMap;

type Kept = SortedMap<&'static str, Arc<dyn Any + Send + Sync>>;

/// Values by name. They are dropped whenever the store changes.
#[derive(Default)]
pub struct Derived(Mutex<Kept>);

impl Derived {
    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Kept::new();
    }

    /// The value of this name, made if it is not there.
    pub fn get_or<T: Any + Send + Sync>(&self, name: &'static str, make: impl FnOnce() -> T) -> Arc<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone);
        if let Some(Ok(kept)) = kept.map(Arc::downcast) {
            return kept;
        }
        // Making it may ask for another one.
        let made = Arc::new(make());
        let kept: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(&made);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, kept);
        made
    }
}

/// Values have no common form to print.
impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_until_it_is_dropped() {
        let derived = Derived::default();
        assert_eq!(*derived.get_or("a", || 1), 1);
        assert_eq!(*derived.get_or("a", || 2), 1);
        assert_eq!(*derived.get_or("b", || *derived.get_or("a", || 3) + 10), 11);
        derived.clear();
        assert_eq!(*derived.get_or("a", || 4), 4);
    }
}
