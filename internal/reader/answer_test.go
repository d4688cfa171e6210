package reader_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ibid"
)

var embargo = ibid.FormatPassages([]ibid.Handled{
	{Handle: "c1", Title: "1973 oil crisis", Page: 2, Score: 0.9,
		Text: "The 1973 oil crisis began in October 1973 when the members of the Organization of Arab Petroleum Exporting Countries proclaimed an oil embargo.[12] By the end of the embargo in March 1974, the price of oil had risen from US$3 per barrel to nearly $12 globally."},
	{Handle: "c2", Title: "Price controls", Score: 0.5,
		Text: "Price controls exacerbated the crisis in the US. The system limited the price of old oil. It was meant to encourage investment."},
	{Handle: "c3", Title: "Gardening", Score: 0.1, Text: "Roses need water. Tulips come from Turkey."},
})

func TestQuotes(t *testing.T) {
	res := generate(t, ibid.ModelRequest{Tools: tools,
		Turns: with(conversation("Who proclaimed the oil embargo?"), "search_knowledge_base", `{"query":"Who proclaimed the oil embargo?"}`, embargo)})
	text := res.Turn.Text()
	first, _, _ := strings.Cut(text, "[c1]")
	if !strings.Contains(first, "Organization of Arab Petroleum Exporting Countries") || !strings.Contains(first, "**1973 oil crisis** (page 2) says:\n\n> “") {
		t.Errorf("the first quotation is wrong:\n%s", text)
	}
	if strings.Contains(text, "[12]") || strings.Contains(text, "[c3]") || strings.Contains(text, "not sure") {
		t.Errorf("too much is quoted:\n%s", text)
	}
	if res.StopReason != ibid.StopEnd || len(res.Turn.Calls()) > 0 {
		t.Errorf("stop %q, calls %s", res.StopReason, callsOf(res))
	}
}

func TestQuotesWithTheSentenceBefore(t *testing.T) {
	res := generate(t, ibid.ModelRequest{Tools: tools,
		Turns: with(conversation("What was the price control system meant to encourage?"), "search_knowledge_base", `{"query":"x"}`, embargo)})
	if want := "The system limited the price of old oil. It was meant to encourage investment.” [c2]"; !strings.Contains(res.Turn.Text(), want) {
		t.Errorf("a sentence with “It” stands alone:\n%s", res.Turn.Text())
	}
}

// A heading has the question's words, and says nothing.
func TestHeadingsAreNoSentences(t *testing.T) {
	lease := ibid.FormatPassages([]ibid.Handled{{Handle: "c1", Title: "Lease", Heading: "Terms › Rent", Score: 0.8,
		Text: "Rent\n\nThe rent is 1,200 euros a month, due on the third working day."}})
	res := generate(t, ibid.ModelRequest{Tools: tools,
		Turns: with(conversation("How much is the rent?"), "search_knowledge_base", `{"query":"How much is the rent?"}`, lease)})
	if want := "“The rent is 1,200 euros a month, due on the third working day.” [c1]"; !strings.Contains(res.Turn.Text(), want) {
		t.Errorf("the answer lacks %s:\n%s", want, res.Turn.Text())
	}
}

func TestAbstains(t *testing.T) {
	turns := conversation("Who won the chess championship in Reykjavik?")
	for i, result := range []string{embargo, "error: the index is closed", "No passages were found."} {
		first := with(turns, "search_knowledge_base", `{"query":"Who won the chess championship in Reykjavik?"}`, result)
		res := generate(t, ibid.ModelRequest{Tools: tools, Turns: first})
		if got, want := callsOf(res), `search_knowledge_base{"query":"chess championship Reykjavik"}`; got != want {
			t.Fatalf("%d: the second try is %s, want %s (text %q)", i, got, want, res.Turn.Text())
		}
		second := with(first, "search_knowledge_base", `{"query":"chess championship Reykjavik"}`, result)
		res = generate(t, ibid.ModelRequest{Tools: tools, Turns: second})
		text := res.Turn.Text()
		if len(res.Turn.Calls()) > 0 || !strings.Contains(text, "found nothing") || strings.Contains(text, "[c") {
			t.Errorf("%d: got %q and %s", i, text, callsOf(res))
		}
	}
}

func TestReportsOtherTools(t *testing.T) {
	for _, c := range []struct{ question, tool, args, result, want string }{
		{"15% of 2,340?", "calculator", `{"expression":"15 / 100 * 2340"}`, "351", "15 / 100 × 2340 = **351**"},
		{"2+2", "calculator", `{"expression":"2+2"}`, `{"expression":"2+2","result":4}`, "2+2 = **4**"},
		{"2+2", "calculator", `{"expression":"2+2"}`, "2+2 = 4", "2+2 = **4**"},
		{"1/0", "calculator", `{"expression":"1/0"}`, "error: division by zero", "I could not calculate that: error: division by zero."},
		{"What time is it?", "current_time", `{}`, "Saturday, 21 November 2026, 10:15 UTC", "It is Saturday, 21 November 2026, 10:15 UTC."},
		{"What documents do I have?", "list_documents", `{}`, "- a.pdf\n- b.md", "- a.pdf\n- b.md"},
		{"Summarise a.pdf", "analyze_document", `{"filename":"a.pdf"}`, `{"summary":"Short.","topics":["oil","gas"]}`, "**Summary:** Short.\n\n**Topics**\n\n- oil\n- gas"},
		{"1/3", "calculator", `{"expression":"1/3"}`, "0.3333333333 (rounded)", "1/3 ≈ **0.3333333333**"},
		{"What time is it?", "current_time", `{}`, "2026-11-21T07:28:52+01:00, Saturday (Europe/Berlin)", "It is Saturday, 21 November 2026, 07:28 (Europe/Berlin)."},
		{"What's new?", "web_search", `{"query":"x"}`, `{"query":"x","results":[{"title":"News [1]","url":"https://example.org/a (b)","snippet":"It is new."},{"title":"bad","url":"javascript:alert(1)","snippet":""}]}`,
			"- [News (1)](https://example.org/a%20%28b%29): It is new."},
	} {
		res := generate(t, ibid.ModelRequest{Tools: tools, Turns: with(conversation(c.question), c.tool, c.args, c.result)})
		if res.Turn.Text() != c.want || len(res.Turn.Calls()) > 0 {
			t.Errorf("%s → %s\n got %q %s\nwant %q", c.question, c.result, res.Turn.Text(), callsOf(res), c.want)
		}
	}
}

// TestReadingCites: what a tool says of a document gets the footnote of the
// passage it stands in.
func TestReadingCites(t *testing.T) {
	content := embargo + "\nAnalysis of a.pdf, from the whole text:\nSummary: Price controls exacerbated the crisis in the US. Nobody knew why.\nTopics: oil; gas\nKey facts:\n- The system limited the price of old oil.\n"
	res := generate(t, ibid.ModelRequest{Tools: tools, Turns: with(conversation("Summarise a.pdf"), "analyze_document", `{"filename":"a.pdf"}`, content)})
	want := "Analysis of a.pdf, from the whole text:\n\n**Summary:** Price controls exacerbated the crisis in the US. [c2] Nobody knew why.\n\n**Topics:** oil; gas\n\n**Key facts:**\n\n- The system limited the price of old oil. [c2]"
	if res.Turn.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", res.Turn.Text(), want)
	}
}

func TestContrastsTwoDocuments(t *testing.T) {
	sheets := []ibid.Handled{
		{Handle: "a1", Title: "Alpha Contract", Score: 1, Text: "Either party may end this agreement with a notice of thirty days. The fee is due monthly. The fee is 100 euros."},
		{Handle: "b1", Title: "Beta Contract", Score: 1, Text: "The fee is due yearly. Ending the agreement needs a notice of ninety days. The fee is 90 euros."},
	}
	res := generate(t, ibid.ModelRequest{Brief: reads(ibid.InstructCompare, sheets...), Think: ibid.ThinkOff,
		Turns: []ibid.Turn{ibid.About(ibid.Subject{Question: "Compare Alpha Contract and Beta Contract on notice"})}})
	text := res.Turn.Text()
	if !strings.Contains(text, "a notice of thirty days.” [a1]") || !strings.Contains(text, "a notice of ninety days.” [b1]") || !strings.Contains(text, "Both speak of: fee") {
		t.Errorf("got\n%s", text)
	}
}

func TestFillsASchema(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"summary":{"type":"string"},"topics":{"type":"array","items":{"type":"string"}},
		"entities":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string","enum":["person","place","other"]}}}},
		"key_facts":{"type":"array","items":{"type":"string"}},"score":{"type":"number"},"final":{"type":"boolean"}}}`
	sheet := ibid.Handled{Handle: "doc", Title: "a.txt", Text: ibid.ParsePassages(embargo)[0].Text + " Later the OPEC raised the price of oil again in Vienna."}
	res := generate(t, ibid.ModelRequest{Brief: reads(ibid.InstructAnalyze, sheet), Turns: []ibid.Turn{ibid.About(ibid.Subject{Title: "a.txt"})}, Schema: []byte(schema)})
	var got struct {
		Summary  string
		Topics   []string
		Entities []struct{ Name, Type string }
		Facts    []string `json:"key_facts"`
		Score    *float64
		Final    *bool
	}
	if err := json.Unmarshal([]byte(res.Turn.Text()), &got); err != nil {
		t.Fatalf("%v: %s", err, res.Turn.Text())
	}
	if !strings.Contains(got.Summary, "oil embargo") || !slices.Contains(got.Topics, "oil") || len(got.Facts) == 0 || got.Score == nil || got.Final == nil {
		t.Errorf("got %+v", got)
	}
	if len(got.Entities) == 0 || got.Entities[0].Name == "" || got.Entities[0].Type != "other" {
		t.Errorf("entities %+v", got.Entities)
	}
}

func TestAnswersFromThePrompt(t *testing.T) {
	res := generate(t, ibid.ModelRequest{Brief: reads(ibid.InstructCompare, ibid.ParsePassages(embargo)...), Turns: conversation("Who proclaimed the oil embargo?"), Think: ibid.ThinkOff})
	if !strings.Contains(res.Turn.Text(), "[c1]") {
		t.Errorf("got %q", res.Turn.Text())
	}
}

// TestQuotesTables: a row of a table is understood, and quoted, with the columns
// and the section it stands under.
func TestQuotesTables(t *testing.T) {
	sheet := ibid.FormatPassages([]ibid.Handled{{Handle: "c1", Title: "Annual Report", Page: 24, Score: 1,
		Text: "Sales grew in both years.\n2018 | 2019\nNet sales:\nNorth | $ | 141,366 | $ | 170,773\nSouth | 65,866 | 74,723\nConsolidated | $ | 232,887 | $ | 280,522\nGrowth:\nNorth | 33% | 21%\nConsolidated | 31 | 20\nChanges in exchange rates impacted net sales by $1.3 billion in 2019."}})
	for question, want := range map[string]string{
		"How much were the net sales in 2019?":      "> “2018 | 2019 … Net sales: … Consolidated | $ | 232,887 | $ | 280,522” [c1]",
		"How much were net sales in the South?":     "> “2018 | 2019 … Net sales: … South | 65,866 | 74,723” [c1]",
		"How much was the growth in the North 2019": "> “2018 | 2019 … Growth: … North | 33% | 21%” [c1]",
	} {
		res := generate(t, ibid.ModelRequest{Tools: tools, Turns: with(conversation(question), "search_knowledge_base", `{"query":"x"}`, sheet)})
		if _, first, _ := strings.Cut(res.Turn.Text(), "\n\n"); !strings.HasPrefix(first, want) {
			t.Errorf("%s\n%s", question, res.Turn.Text())
		}
	}
}
