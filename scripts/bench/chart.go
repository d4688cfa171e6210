package main

import "math"

// chart places sizes from left to right and milliseconds from 0.1 to 100 upwards,
// both on logarithmic axes.
type chart struct {
	sizes                    []int
	left, right, top, bottom float64
}

func (c chart) x(size int) float64 {
	first, last := math.Log10(float64(c.sizes[0])), math.Log10(float64(c.sizes[len(c.sizes)-1]))
	return c.left + (math.Log10(float64(size))-first)/(last-first)*(c.right-c.left)
}

func (c chart) y(ms float64) float64 {
	return c.bottom - (math.Log10(min(max(ms, 0.1), 100))+1)/3*(c.bottom-c.top)
}
