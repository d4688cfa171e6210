// Package api holds what stands in requests and responses of the HTTP API
// (docs/md): the server writes these types, clients read them.
package api
