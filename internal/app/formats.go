package app

import (
	"ibid/internal/app/config"
	"ibid/internal/document"
	"ibid/internal/document/format"
	"ibid/internal/server/api"
)

// formats are the kinds of files that are read.
func formats(cfg config.Config) format.List {
	if cfg.Formats != nil {
		return cfg.Formats
	}
	return document.Formats()
}

func (a *App) formats() format.List { return formats(a.cfg) }

// listed are formats as the API tells of them.
func listed(formats format.List) []api.Format {
	var all []api.Format
	for _, f := range formats.Read() {
		all = append(all, api.Format{Name: f.Name, Label: f.Label, Kind: string(f.Kind), Extensions: f.Extensions, MIME: f.MIME,
			Drawn: formats.Drawn(f.Name), Holds: f.Members != nil})
	}
	return all
}
