// Package ibid holds the words of the house: what a document, a chunk, a
// passage, a citation, a thread, a message, a run and an event are, and the two
// interfaces that everything outside the process is reached through, Model and
// Embedder. It imports nothing of ours and does no I/O.
//
// Offsets named Start and End are bytes into the UTF-8 text that was extracted
// from one version of a document, half open. Pages are counted from 1.
package ibid
