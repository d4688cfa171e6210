package question

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: most
// starts of the program, those of commands and workers, ask nothing.
type pattern struct{ compiled func() *regexp.Regexp }

func lazily(expression func() string) pattern {
	return pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression()) })}
}

// known reports whether there is an expression: the zero pattern has none.
func (p pattern) known() bool { return p.compiled != nil }

func (p pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
func (p pattern) FindString(s string) string           { return p.compiled().FindString(s) }
func (p pattern) FindStringIndex(s string) []int       { return p.compiled().FindStringIndex(s) }
func (p pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}
func (p pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}
func (p pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}
func (p pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }
func (p pattern) SubexpIndex(name string) int          { return p.compiled().SubexpIndex(name) }
func (p pattern) SubexpNames() []string                { return p.compiled().SubexpNames() }
