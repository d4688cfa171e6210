package disk

// syncDir does nothing: a directory cannot be opened for syncing, and NTFS keeps
// a journal of names.
func syncDir(string) error { return nil }
