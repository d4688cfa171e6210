package ingest

import (
	"context"
	"sync"
)

// passwords holds the passwords of files that wait to be read, by their content.
// They are in memory alone: where the process ends before the file was read, its
// document fails and says that a password is needed. Other processes leave the file to
// one that has its password (Leases.HoldVersion).
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

// forget reports whether there was one.
func (p *passwords) forget(version string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, there := p.by[version]
	delete(p.by, version)
	return there
}

// holdPassword keeps the password of a version that is about to be added, before any
// process can claim it.
func (p *Pipeline) holdPassword(ctx context.Context, version, password string) error {
	if password == "" {
		return nil
	}
	p.passwords.put(version, password)
	if err := p.cfg.Leases.HoldVersion(ctx, p.cfg.Owner, version); err != nil {
		p.passwords.forget(version)
		return err
	}
	return nil
}

// forgetPassword is called when a version needs no password any more.
func (p *Pipeline) forgetPassword(version string) {
	if !p.passwords.forget(version) {
		return
	}
	if err := p.cfg.Leases.ReleaseVersion(context.WithoutCancel(p.base), p.cfg.Owner, version); err != nil {
		p.cfg.Log.Warn("cannot leave a file to other processes; that is done at the end of this one", "error", err)
	}
}
