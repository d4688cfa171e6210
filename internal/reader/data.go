package reader

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/question"
	"ibid/internal/reader/sqlwriter"
)

// Tools that ask databases.
const (
	toolDescribe = "describe_database"
	toolQuery    = "query_database"
)

// part is one question of a message, and where it is looked for.
type part struct {
	question  string
	database  string // "" for none
	documents bool
}

// route decides for each question of a message whether documents or a database
// are asked, or both. A name of a table counts two, a name of a column one, a
// word that counts or orders one, where any name stands: from two on it is a
// question of data, with one it may be either.
func (r *Reader) route(t task) []part {
	databases := t.brief.Databases
	if len(databases) == 0 {
		return nil
	}
	noDocuments := t.brief.Holdings != nil && t.brief.Holdings.Documents == 0
	a := r.analyzer("")
	var parts []part
	asked := false
	for _, q := range question.Split(t.question, maxQueries) {
		best, bestScore := "", 0
		for _, d := range databases {
			if score := sqlwriter.NamesIn(a, q, d.Tables); score > bestScore {
				best, bestScore = d.Name, score
			}
		}
		if question.Counts(q) && (bestScore > 0 || noDocuments) {
			bestScore++
			if best == "" && len(databases) == 1 {
				best = databases[0].Name
			}
		}
		p := part{question: q, database: best, documents: bestScore < 2 && !noDocuments}
		asked = asked || p.database != ""
		if p.database == "" {
			p.documents = true
		}
		parts = append(parts, p)
	}
	if !asked {
		return nil
	}
	return parts
}

// askData begins a question of data: its databases are described, and documents
// are searched for what may stand there.
func (r *Reader) askData(t task, req ibid.ModelRequest) ([]ibid.ToolCall, bool) {
	has := offers(req)
	if !has(toolDescribe) || !has(toolQuery) {
		return nil, false
	}
	var calls []ibid.ToolCall
	questions := map[string][]string{}
	var order []string
	for _, p := range r.route(t) {
		if p.database == "" {
			continue
		}
		if questions[p.database] == nil {
			order = append(order, p.database)
		}
		questions[p.database] = append(questions[p.database], p.question)
	}
	for _, name := range order {
		calls = append(calls, toolCall(len(t.rounds)+len(calls), toolDescribe, map[string]string{"database": name, "question": sqlwriter.WithSingulars(strings.Join(questions[name], " "))}))
	}
	for _, p := range r.route(t) {
		if p.documents && len(order) > 0 && has(toolSearch) {
			calls = append(calls, toolCall(len(t.rounds)+len(calls), toolSearch, map[string]string{"query": p.question}))
		}
	}
	return calls, len(order) > 0
}

// planOfData says where the answer is looked for, "" where it is in the documents
// alone.
func (r *Reader) planOfData(t task) string {
	var databases []string
	documents := false
	for _, p := range r.route(t) {
		if p.database != "" && !slices.Contains(databases, p.database) {
			databases = append(databases, p.database)
		}
		documents = documents || p.documents
	}
	switch {
	case len(databases) == 0:
		return ""
	case documents:
		return fmt.Sprintf("The question may concern both data and documents. I will look at the tables of “%s”, ask them with SQL where the question can be put so, and search the documents as well.",
			strings.Join(databases, "”, “"))
	}
	return fmt.Sprintf("The question is about data. I will look at the tables of “%s” and ask them with SQL.", strings.Join(databases, "”, “"))
}

func toolCall(made int, name string, args map[string]string) ibid.ToolCall {
	raw, err := json.Marshal(args)
	if err != nil {
		raw = []byte("{}")
	}
	return ibid.ToolCall{ID: fmt.Sprintf("call_%d", made+1), Name: name, Arguments: raw}
}

// composed are the queries that the questions of data come to, by what was
// described, and why others come to none.
func (r *Reader) composed(t task) (queries []sqlwriter.Query, whys []string) {
	for _, p := range r.route(t) {
		if p.database == "" {
			continue
		}
		d, ok := describedIn(t, p.database)
		if !ok {
			continue
		}
		q, why := sqlwriter.Compose(r.analyzer(""), p.question, d)
		if why == "" {
			queries = append(queries, q)
		} else {
			whys = append(whys, fmt.Sprintf("I could not ask the database “%s”: %s.", p.database, why))
		}
	}
	return queries, whys
}

func describedIn(t task, database string) (d sqlwriter.Description, ok bool) {
	for _, round := range t.rounds {
		if round.tool == toolDescribe && round.result != nil && !round.result.Failed &&
			json.Unmarshal([]byte(round.result.Content), &d) == nil && d.Database == database {
			return d, true
		}
	}
	return sqlwriter.Description{}, false
}

// nextOfData goes on with a question of data. false leaves it to the documents.
func (r *Reader) nextOfData(t task, req ibid.ModelRequest) (reply, bool) {
	made := func(tool string) bool {
		return slices.ContainsFunc(t.rounds, func(r round) bool { return r.tool == tool && r.result != nil })
	}
	if !made(toolDescribe) {
		return reply{}, false
	}
	queries, _ := r.composed(t)
	if !made(toolQuery) {
		var calls []ibid.ToolCall
		for _, q := range queries {
			calls = append(calls, toolCall(len(t.rounds)+len(calls), toolQuery, map[string]string{"database": q.Database, "sql": q.SQL}))
		}
		if len(calls) == 0 && !made(toolSearch) && offers(req)(toolSearch) {
			searches, _ := r.queries(t)
			m := move{tool: toolSearch, queries: searches}
			calls = m.calls(req.Tools, len(t.rounds))
		}
		return reply{calls: calls}, len(calls) > 0 && len(req.Tools) > 0
	}
	var answers []string
	for _, q := range queries {
		if s := answerOf(t, q); s != "" {
			answers = append(answers, s)
		}
	}
	if len(answers) == 0 {
		return reply{}, false
	}
	if s, ok := r.besideData(t); ok {
		answers = append(answers, s)
	}
	return reply{text: strings.Join(answers, "\n\n")}, true
}

// besideData quotes what the documents say to the questions that are theirs.
func (r *Reader) besideData(t task) (string, bool) {
	var passages []ibid.Handled
	var questions []string
	for _, round := range t.rounds {
		if round.tool == toolSearch && round.result != nil && !round.result.Failed {
			passages = merge(passages, ibid.ParsePassages(round.result.Content))
		}
	}
	for _, p := range r.route(t) {
		if p.documents && p.database == "" {
			questions = append(questions, p.question)
		}
	}
	if len(questions) == 0 || len(passages) == 0 {
		return "", false
	}
	return r.quoteAll(questions, passages)
}

// whyNoData says why the databases were not asked, "" where they were or there
// was nothing to ask them.
func (r *Reader) whyNoData(t task) string {
	_, whys := r.composed(t)
	if len(whys) == 0 {
		return ""
	}
	return strings.Join(whys, " ") + " "
}

// answerOf says what a query came to.
func answerOf(t task, q sqlwriter.Query) string {
	for _, round := range t.rounds {
		if round.tool != toolQuery || round.arg("sql") != q.SQL || round.result == nil {
			continue
		}
		if round.result.Failed {
			return fmt.Sprintf("The database “%s” did not answer: %s", q.Database, sentence(strings.TrimSpace(round.result.Content)))
		}
		ps := ibid.ParsePassages(round.result.Content)
		if len(ps) == 0 {
			return ""
		}
		return tableAnswer(q, ps[0], strings.Contains(round.result.Content, "there are more"))
	}
	return ""
}

// rowsShown is how many rows of a result stand in an answer.
const rowsShown = 20

// tableAnswer says a result: one value in a sentence, more as a table, in which each
// row is a statement with a footnote of its own.
func tableAnswer(q sqlwriter.Query, p ibid.Handled, more bool) string {
	lines := strings.Split(p.Text, "\n")
	header, rows := cells(lines[0]), lines[1:]
	what := cellText.Replace(strings.ToUpper(q.What[:1]) + q.What[1:])
	switch {
	case len(rows) == 0:
		return fmt.Sprintf("There are none: %s%s.", cellText.Replace(q.What), footnote(p))
	case len(rows) == 1 && len(header) == 1:
		value := cellText.Replace(strings.TrimSpace(rows[0]))
		if value == "" {
			return fmt.Sprintf("%s: there is no value%s.", what, footnote(p))
		}
		return fmt.Sprintf("%s: **%s**%s.", what, value, footnote(p))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n\n| %s |\n|%s\n", what, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for i, row := range rows {
		if i == rowsShown {
			fmt.Fprintf(&b, "\n%d of %d rows are shown%s.", rowsShown, len(rows), footnote(p))
			break
		}
		fmt.Fprintf(&b, "| %s%s |\n", strings.Join(cells(row), " | "), footnote(p))
	}
	if more && len(rows) <= rowsShown {
		fmt.Fprintf(&b, "\nThere are more rows%s.", footnote(p))
	}
	return strings.TrimRight(b.String(), "\n")
}

// cells are those of one row, fit for Markdown.
func cells(row string) []string {
	all := strings.Split(row, " | ")
	for i := range all {
		all[i] = cellText.Replace(all[i])
	}
	return all
}

// cellText takes from a text of a database what Markdown or a footnote could be
// made of.
var cellText = strings.NewReplacer("[", "(", "]", ")", "【", "(", "】", ")", "<", "‹", ">", "›", "`", "'", "*", "∗", "|", "¦", "\n", " ")
