package evidence

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// Verdicts on a claim, by how far passages bear it out.
const (
	Supported          = "SUPPORTED"
	PartiallySupported = "PARTIALLY_SUPPORTED"
	Unsupported        = "UNSUPPORTED"
)

// A claim is SUPPORTED from supportedFrom on and UNSUPPORTED below
// unsupportedBelow. TestSupport of eval says what that means in numbers.
const (
	supportedFrom    = 0.62
	unsupportedBelow = 0.40
)

// Support is how far evidence bears a claim out.
type Support struct {
	Verdict string
	Score   float64 // 0 to 1
	By      []int   // the pieces of evidence that do, the best first
	// Contradicted says that the closest sentence is about the same and says otherwise:
	// it has another figure, or denies what the claim does not.
	Contradicted bool
}

// Degree is the verdict in finer words.
func (s Support) Degree() ibid.SupportDegree {
	switch {
	case s.Verdict == Supported:
		return ibid.SupportFull
	case s.Verdict == PartiallySupported:
		return ibid.SupportPartly
	case s.Contradicted:
		return ibid.SupportContradicted
	}
	return ibid.SupportNotFound
}

// Judge holds a claim against evidence, sentence by sentence: how many of its
// words, weighted by rarity, stand in the sentence that comes closest and beside
// it. Figures and names that stand nowhere near there, and a negation on one side
// only, count against it, since such claims differ from the truth by one word.
//
// A claim that no piece bears out alone is held against all of them together: the
// closest sentence of each.
func Judge(claim string, evidence []Passage) Support {
	j := newJudge(claim, evidence)
	best := Support{Verdict: Unsupported}
	scores, closest := make([]float64, len(evidence)), make([]nearest, len(evidence))
	for i := range evidence {
		closest[i] = j.nearest(i)
		scores[i] = max(0, closest[i].covered-j.wrong(closest[i]))
		best.Score = max(best.Score, scores[i])
	}
	least := max(unsupportedBelow, best.Score-0.15)
	if together := j.together(closest); best.Score < supportedFrom && together > best.Score {
		best.Score, least = together, unsupportedBelow/2
		for i := range scores {
			scores[i] = closest[i].covered
		}
	}
	if best.Score >= unsupportedBelow {
		for i, s := range scores {
			if s >= least {
				best.By = append(best.By, i)
			}
		}
		slices.SortStableFunc(best.By, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	}
	switch {
	case best.Score >= supportedFrom:
		best.Verdict = Supported
	case best.Score >= unsupportedBelow:
		best.Verdict = PartiallySupported
	default:
		best.Contradicted = slices.ContainsFunc(closest, j.otherwise)
	}
	return best
}

// otherwiseFrom is the share of a claim's words, figures aside, that a sentence has
// that speaks of the same.
const otherwiseFrom = 0.75

// otherwise reports whether a sentence says nearly all that the claim says, but
// denies it or has other figures in the place of its own.
func (j *judge) otherwise(n nearest) bool {
	same, all := 0.0, 0.0
	for _, t := range j.terms {
		if _, number := numberWords[t]; number || isFigure(t) {
			continue
		}
		all += j.weights[t]
		if n.terms[t] || slices.ContainsFunc(n.near, func(s sentence) bool { return s.terms[t] }) {
			same += j.weights[t]
		}
	}
	if all == 0 || same < otherwiseFrom*all {
		return false
	}
	if j.claim.denies != n.denies {
		return true
	}
	lacks, other := false, false
	for f := range j.claim.figures {
		lacks = lacks || !n.figures[f] && !slices.ContainsFunc(n.near, func(s sentence) bool { return s.figures[f] })
	}
	for f := range n.figures {
		other = other || !j.claim.figures[f]
	}
	return lacks && other
}

// sentence is one of the evidence, or the claim itself.
type sentence struct {
	terms   map[string]bool
	figures map[string]bool
	denies  bool
}

// judge holds one claim against all its evidence.
type judge struct {
	claim    sentence
	terms    []string        // of the claim, sorted: sums must not depend on the order of a map
	names    map[string]bool // terms of the claim that are capitalised
	weights  map[string]float64
	total    float64
	evidence [][]sentence // by piece: what it stands under, then its sentences
}

func newJudge(claim string, evidence []Passage) *judge {
	language := text.Language(claim)
	for i := 0; language == "" && i < len(evidence); i++ {
		language = text.Language(evidence[i].Text)
	}
	if language == "" {
		language = "en"
	}
	a := text.NewMemo(text.NewAnalyzer(language))
	j := &judge{claim: readSentence(a, claim), names: nameTerms(a, claim), weights: map[string]float64{}}
	holds := map[string]int{}
	n := 0
	for _, e := range evidence {
		piece := []sentence{readSentence(a, e.Under)}
		for _, span := range text.Sentences(e.Text) {
			s := readSentence(a, e.Text[span.Start:span.End])
			piece = append(piece, s)
			n++
			for t := range s.terms {
				holds[t]++
			}
		}
		j.evidence = append(j.evidence, piece)
	}
	j.terms = slices.Sorted(maps.Keys(j.claim.terms))
	for _, t := range j.terms {
		w := math.Log(1 + (float64(n)+1)/(float64(holds[t])+0.5))
		j.weights[t] = w
		j.total += w
	}
	return j
}

func readSentence(a *text.Memo, s string) sentence {
	out := sentence{terms: map[string]bool{}, figures: map[string]bool{}, denies: text.Denies(s)}
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		if n, ok := numberWords[w.Text]; ok {
			out.figures[n] = true
		}
		if t, ok := a.Term(w.Text); ok {
			out.terms[t] = true
		}
	}
	for _, f := range text.Figures(s) {
		out.figures[f] = true
	}
	return out
}

var numberWords = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000"}

// nameTerms are the terms of the capitalised words of a claim, but for its first.
func nameTerms(a *text.Memo, s string) map[string]bool {
	named := map[string]bool{}
	first := true
	for w := range text.Words(s) {
		if !first && capital(s, w.Start) {
			if t, ok := a.Term(w.Text); ok && !w.Joined {
				named[t] = true
			}
		}
		first = false
	}
	return named
}

const (
	// nearby is how much of its weight a word has that stands not in the sentence
	// that comes closest but in the one before or after it, or above the passage.
	nearby = 0.85
	// A claim with a name too many, or a denial, is not supported, however alike
	// it is; what is more is taken off its score. A figure too many takes most.
	stillPartly = supportedFrom - 0.01
	wrongFigure = 0.65
	wrongName   = 0.30 // times the share of its names that is missing
	wrongDenial = 0.20
)

// nearest is the sentence of a piece of evidence that comes closest to the claim.
type nearest struct {
	sentence
	near    []sentence // what stands around it: before, after, above
	covered float64
}

func (j *judge) nearest(i int) nearest {
	piece := j.evidence[i]
	var best nearest
	for k := 1; k < len(piece); k++ {
		near := []sentence{piece[0]}
		if k > 1 {
			near = append(near, piece[k-1])
		}
		if k+1 < len(piece) {
			near = append(near, piece[k+1])
		}
		if covered := j.covered(piece[k], near); covered > best.covered {
			best = nearest{piece[k], near, covered}
		}
	}
	return best
}

// together holds the claim against the closest sentences of all pieces.
func (j *judge) together(closest []nearest) float64 {
	if len(closest) < 2 {
		return 0
	}
	best := slices.MaxFunc(closest, func(a, b nearest) int { return cmp.Compare(a.covered, b.covered) })
	for _, n := range closest {
		best.near = append(best.near[:len(best.near):len(best.near)], n.sentence)
	}
	best.covered = j.covered(best.sentence, best.near)
	return max(0, best.covered-j.wrong(best))
}

// covered is the share of the claim's words, by weight, in a sentence and around
// it. Words that are no names count in part where the sentence has one that means
// nearly the same.
func (j *judge) covered(s sentence, near []sentence) float64 {
	covered := 0.0
	for _, t := range j.terms {
		switch {
		case s.terms[t]:
			covered += j.weights[t]
		case slices.ContainsFunc(near, func(n sentence) bool { return n.terms[t] }):
			covered += nearby * j.weights[t]
		case !j.names[t] && !isFigure(t) && numberWords[t] == "":
			if like := likest(t, s.terms); like >= likeFrom {
				covered += likeShare * like * j.weights[t]
			}
		}
	}
	return covered / max(j.total, 1e-9)
}

const (
	// likeFrom is how nearly a word has to mean the same to count, likeShare how much
	// it then counts.
	likeFrom  = 0.65
	likeShare = 1.0
)

// likest is how nearly any of a sentence's terms means the same as one.
func likest(term string, terms map[string]bool) float64 {
	v := words().vector(term)
	if v == nil {
		return 0
	}
	best := 0.0
	for t := range terms {
		if w := words().vector(t); w != nil {
			best = max(best, cosine(v, w))
		}
	}
	return best
}

// wrong is what is taken off a score for what the claim says and the sentence
// does not.
func (j *judge) wrong(n nearest) float64 {
	s, near := n.sentence, n.near
	off := 0.0
	partly := max(0, n.covered-stillPartly)
	for f := range j.claim.figures {
		if !s.figures[f] && !slices.ContainsFunc(near, func(n sentence) bool { return n.figures[f] }) {
			off = wrongFigure
			break
		}
	}
	missing := 0
	for t := range j.names {
		if !s.terms[t] && !slices.ContainsFunc(near, func(n sentence) bool { return n.terms[t] }) {
			missing++
		}
	}
	if missing > 0 {
		off = max(off, partly) + wrongName*float64(missing)/float64(len(j.names))
	}
	if j.claim.denies != s.denies {
		off = max(off, partly) + wrongDenial
	}
	return off
}

// JudgeTable holds a claim against the table that a query came to. A table is no
// prose, so that only figures and names are compared: where one of the claim's is
// not in it, as when it is rounded, the claim is supported in part.
func JudgeTable(claim, table string) Support {
	j := newJudge(claim, []Passage{{Text: table}})
	all := readSentence(text.NewMemo(text.NewAnalyzer("en")), table)
	s := Support{Verdict: Supported, Score: 1, By: []int{0}}
	held := map[string]bool{}
	for f := range all.figures {
		held[leastDigits(f)] = true
	}
	for f := range j.claim.figures {
		if !held[leastDigits(f)] {
			s.Verdict, s.Score = PartiallySupported, 0.5
		}
	}
	for t := range j.names {
		if !all.terms[t] {
			s.Verdict, s.Score = PartiallySupported, 0.5
		}
	}
	return s
}

// leastDigits leaves out the zeros at the end of a fraction: a table has 7800.5
// where people write 7,800.50.
func leastDigits(figure string) string {
	if strings.Count(figure, ".") != 1 {
		return figure
	}
	return strings.TrimSuffix(strings.TrimRight(figure, "0"), ".")
}
