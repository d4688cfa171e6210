package main

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// soak asks, searches and adds documents without a pause, and prints the
// program's memory as it goes. Memory that keeps growing after the first
// minutes, beyond what new documents need, is a leak.
func soak(ctx context.Context, o options, model *modelServer, dir string) error {
	s, err := startServer(ctx, o.binary, dir, model.url)
	if err != nil {
		return err
	}
	defer s.stop()
	model.answer(300, 0)
	gen := newGenerator(2)
	began := time.Now()
	lastReport := time.Time{}
	for round := 0; time.Since(began) < o.soak && ctx.Err() == nil; round++ {
		if round < 50 {
			if _, err := s.addDocuments(ctx, gen, 5); err != nil {
				return err
			}
			if _, err := s.wait(ctx); err != nil {
				return err
			}
		}
		for range 10 {
			if _, err := s.ask(ctx, nil); err != nil {
				return err
			}
			if err := s.get(ctx, "/v1/search?"+url.Values{"q": {gen.query()}}.Encode(), nil); err != nil {
				return err
			}
		}
		if time.Since(lastReport) > 10*time.Second {
			lastReport = time.Now()
			fmt.Printf("%8s  %5d rounds  %s\n", time.Since(began).Round(time.Second), round, s.memory())
		}
	}
	fmt.Printf("%8s  ended with %s\n", time.Since(began).Round(time.Second), s.memory())
	return nil
}
