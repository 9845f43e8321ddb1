//! Sets of cluster numbers, dense or sparse.

/// A set of numbers as bits, 64 a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn with_room(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (number % 64);
        }
    }

    pub fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Intersection: keeps the clusters that are in both.
    pub fn keep(&mut self, other: &Bits) {
        let shared = self.0.len().min(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
        self.0.iter_mut().skip(shared).for_each(|word| *word = 0);
    }

    /// Difference: drops the clusters of the other.
    pub fn drop(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= !other);
    }

    /// Union: adds the clusters of the other.
    pub fn add(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0u32..).flat_map(|(word, at)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

/// The clusters that have one label. Few of many are kept as a list: a label that is different on each of 100,000
/// clusters would otherwise take 100,000 sets of 100,000 bits.
#[derive(Clone, Debug)]
pub enum Posting {
    Sparse(Vec<u32>),
    Dense(Bits),
}

impl Default for Posting {
    fn default() -> Posting {
        Posting::Sparse(Vec::new())
    }
}

impl Posting {
    /// `universe` is how many clusters there are: a list longer than its bits would be becomes bits.
    pub fn insert(&mut self, number: u32, universe: usize) {
        match self {
            Posting::Dense(bits) => bits.insert(number),
            Posting::Sparse(list) => {
                match list.last() {
                    Some(last) if *last >= number => {
                        if let Err(at) = list.binary_search(&number) {
                            list.insert(at, number);
                        }
                    }
                    _ => list.push(number),
                }
                if list.len() > universe.div_ceil(64).max(16) {
                    let mut bits = Bits::with_room(universe);
                    list.iter().for_each(|number| bits.insert(*number));
                    *self = Posting::Dense(bits);
                }
            }
        }
    }

    pub fn remove(&mut self, number: u32) {
        match self {
            Posting::Dense(bits) => bits.remove(number),
            Posting::Sparse(list) => {
                if let Ok(at) = list.binary_search(&number) {
                    list.remove(at);
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Posting::Dense(bits) => bits.is_empty(),
            Posting::Sparse(list) => list.is_empty(),
        }
    }

    pub fn add_to(&self, bits: &mut Bits) {
        match self {
            Posting::Dense(dense) => bits.add(dense),
            Posting::Sparse(list) => list.iter().for_each(|number| bits.insert(*number)),
        }
    }

    pub fn drop_from(&self, bits: &mut Bits) {
        match self {
            Posting::Dense(dense) => bits.drop(dense),
            Posting::Sparse(list) => list.iter().for_each(|number| bits.remove(*number)),
        }
    }
}
