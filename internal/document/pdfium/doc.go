// Package pdfium reads PDF files with PDFium compiled to WebAssembly. It gives
// pages as lines of positioned words, the outline, the title, and pictures of
// pages; what the lines mean is decided by package extract.
//
// WebAssembly keeps a broken file's damage inside the module's own memory, but
// it does not bound time: compiled code is not interrupted (checking for it
// costs three to six times the speed), so everything here runs in a process that
// can be killed. A call that traps makes its document useless, never the engine.
//
// Coordinates are in points (1/72 inch) from the top left corner of the page as
// it is shown, after its rotation.
package pdfium
