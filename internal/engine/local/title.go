package local

// titleField is BM25 over document titles. Its unit is the document: a title
// counts once, however many chunks stand under it.
type titleField struct {
	postings map[uint32][]titlePosting // by term number
	count    int                       // documents that have one
	length   int64                     // sum, in terms
	postingN int                       // of all terms
	shared   int                       // postings of terms that stand in sharedTitles titles or more
}

const (
	// titleWeight is what a title counts for against the body, which begins with
	// it too.
	titleWeight = 0.5
	// Where documents of many chunks are called alike ("Acme 10-K 2018", "Bolt
	// 10-K 2018"), they say the same things in the same words, and often only
	// the name tells which of them is meant.
	familyWeight = 2
	// Titles are alike when this share of their terms stands in at least
	// sharedTitles of them, and documents are long from so many chunks on the
	// average. Abstracts, a chunk each, share words of their field only.
	familyShare   = 0.5
	sharedTitles  = 3
	familyChunks  = 4
	familyMinimum = 8 // documents
)

// weight returns what titles count for in an index of so many chunks.
func (f *titleField) weight(chunks int) float32 {
	if f.count >= familyMinimum && chunks >= familyChunks*f.count && float64(f.shared) >= familyShare*float64(f.postingN) {
		return familyWeight
	}
	return titleWeight
}

// counted keeps shared up to date when a term's titles went from before to now.
func (f *titleField) counted(before, now int) {
	f.postingN += now - before
	for _, c := range []struct{ n, sign int }{{before, -1}, {now, 1}} {
		if c.n >= sharedTitles {
			f.shared += c.sign * c.n
		}
	}
}

type titlePosting struct {
	slot   uint32
	count  uint16 // of the term in the title
	length uint16 // of the title
}

// titleTerm is what a slot remembers, to take its title back out.
type titleTerm struct {
	number uint32
	count  uint16
}

// setTitle exchanges the title of a document; nil takes it out.
func (x *Index) setTitle(at uint32, terms []string) {
	s := &x.slots[at]
	if len(s.title) > 0 {
		for _, t := range s.title {
			x.titles.remove(t.number, at)
			x.titles.length -= int64(t.count)
		}
		x.titles.count--
		s.title = nil
	}
	if len(terms) == 0 {
		return
	}
	s.title = make([]titleTerm, 0, len(terms))
	length := uint16(min(len(terms), 1<<16-1))
	for _, t := range terms[:length] {
		s.title = countTerm(s.title, x.number(t))
	}
	for _, t := range s.title {
		x.titles.add(t.number, titlePosting{at, t.count, length})
	}
	x.titles.count++
	x.titles.length += int64(length)
}

func countTerm(terms []titleTerm, number uint32) []titleTerm {
	for i := range terms {
		if terms[i].number == number {
			terms[i].count++
			return terms
		}
	}
	return append(terms, titleTerm{number, 1})
}

func (f *titleField) add(number uint32, p titlePosting) {
	list := append(f.postings[number], p)
	f.postings[number] = list
	f.counted(len(list)-1, len(list))
}

// remove takes one document out of a term's postings, whose order says nothing.
func (f *titleField) remove(number, at uint32) {
	list := f.postings[number]
	for i := range list {
		if list[i].slot == at {
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			f.counted(len(list)+1, len(list))
			break
		}
	}
	if len(list) == 0 {
		delete(f.postings, number)
		return
	}
	f.postings[number] = list
}

// titleScores are what titles add to the scores of their chunks.
type titleScores struct {
	bySlot []float32
	most   float32 // the highest of them
}

// score adds up the title scores of the query's terms in bySlot.
func (f *titleField) score(bySlot []float32, query []queryTerm, weight float32) titleScores {
	scores := titleScores{bySlot: bySlot}
	norm := newNorm(float64(f.length), f.count)
	for _, q := range query {
		list := f.postings[q.number]
		w := weight * idf(f.count, len(list))
		for _, p := range list {
			bySlot[p.slot] += w * norm.saturate(float32(p.count), float32(p.length))
			scores.most = max(scores.most, bySlot[p.slot])
		}
	}
	return scores
}
