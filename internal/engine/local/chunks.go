package local

// chunkTable numbers chunk ids. Everything else refers to a chunk by its number,
// in four bytes, so that each id is held once.
type chunkTable struct {
	ids []string // by number; "" when the number is free. Searches read it

	// What follows is for the writer.
	numbers map[string]uint32
	owners  []uint32 // by number: slot of the document
	free    []uint32 // numbers to use again
}

// number returns the number of a chunk, giving a new one to an id that has none.
func (t *chunkTable) number(id string, at uint32) uint32 {
	if n, ok := t.numbers[id]; ok {
		return n
	}
	var n uint32
	if last := len(t.free) - 1; last >= 0 {
		n, t.free = t.free[last], t.free[:last]
		t.ids[n], t.owners[n] = id, at
	} else {
		n = uint32(len(t.ids))
		t.ids, t.owners = append(t.ids, id), append(t.owners, at)
	}
	t.numbers[id] = n
	return n
}

// roomier returns the ids in a larger array, nil where there is room for n more.
// Growing by an eighth costs little memory.
func (t *chunkTable) roomier(n int) []string {
	if cap(t.ids)-len(t.ids) >= n {
		return nil
	}
	return append(make([]string, 0, len(t.ids)+len(t.ids)/8+64+n), t.ids...)
}

// remove frees a number. Dead chunks may still refer to it; nobody asks them.
func (t *chunkTable) remove(n uint32) {
	delete(t.numbers, t.ids[n])
	t.ids[n] = ""
	t.free = append(t.free, n)
}

func (t *chunkTable) bytes() int64 {
	n := int64(len(t.ids)) * (16 + 4 + 40) // 40: an entry of the map, with its slack
	for _, id := range t.ids {
		n += int64(len(id))
	}
	return n
}
