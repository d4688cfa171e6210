package ingest

import "sync"

// passwords holds the passwords of files that wait to be read, by their content.
// They are in memory alone: where the process ends before the file was read, its
// document fails and says that a password is needed.
type passwords struct {
	mu sync.Mutex
	by map[string]string
}

func (p *passwords) put(version, password string) {
	if password == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil {
		p.by = map[string]string{}
	}
	p.by[version] = password
}

func (p *passwords) of(version string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.by[version]
}

func (p *passwords) forget(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.by, version)
}
