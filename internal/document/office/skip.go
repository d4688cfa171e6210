package office

// skip is how deep a reading of XML stands within an element that is left out; 0:
// outside of one. Setting it to 1 leaves the element out that has just begun.
type skip int

// begins takes note of an element that begins, and reports whether it is read.
func (s *skip) begins() bool {
	if *s > 0 {
		*s++
	}
	return *s == 0
}

// ends takes note of an element that ends, and reports whether it was read.
func (s *skip) ends() bool {
	if *s > 0 {
		*s--
		return false
	}
	return true
}
