package splitmix

import "testing"

// The first values for seed 0 as the reference implementation publishes them.
func TestKnownValues(t *testing.T) {
	s := New(0)
	for i, want := range []uint64{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F} {
		if got := s.Next(); got != want {
			t.Errorf("value %d is %#x, want %#x", i, got, want)
		}
	}
}
