package main

import "context"

// growingThreads measures what conversations cost as they grow.
type growingThreads struct{ g *growing }

func newGrowingThreads(g *growing) *growingThreads { return &growingThreads{g} }

// operations are what people do with conversations, at step n of steps: with so
// many messages as belong to that step.
func (g *growingThreads) operations(_ context.Context, _, _ int) ([]operation, error) {
	return nil, nil
}
