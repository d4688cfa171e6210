package document

// Formats are the kinds of files that are read, in the order in which they are tried.
// A format is one value, made beside the code that reads it; a new one is a file
// there and a line here.
func Formats() List {
	scans := &ocrFinder{}
	return List{
		oldOfficeFormat(),
		pdfFormat(scans),
		openTextFormat(),
		openTableFormat(),
		openSlidesFormat(),
		bookFormat(),
		wordFormat(),
		slidesFormat(),
		workbookFormat(),
		archiveFormat(), // zip files that are none of those above
		rtfFormat(),
		imageFormat(scans),
		pageFormat(),
		mailFormat(),
		markdownFormat(),
		tableFormat(),
		codeFormat(),
		plainFormat(), // whatever else is text
	}
}
