// Package api holds what stands in requests and responses of the HTTP API
// (docs/api.md): the server writes these types, clients read them.
package api
