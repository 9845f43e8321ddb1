// Package splitmix is the one source of chance here: splitmix64, so that a seed
// gives the same inputs on every machine and in every language.
package splitmix

// Source is a splitmix64 generator.
type Source struct{ state uint64 }

// New starts a source at seed.
func New(seed uint64) *Source { return &Source{state: seed} }

// Next is the next 64 bits.
func (s *Source) Next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below is the next value modulo n.
func (s *Source) Below(n int) int { return int(s.Next() % uint64(n)) }

// Percent is true p times in a hundred.
func (s *Source) Percent(p int) bool { return s.Below(100) < p }

// Pick is one of items.
func Pick[T any](s *Source, items ...T) T { return items[s.Below(len(items))] }
