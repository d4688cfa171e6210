// Every word the page says, in one place. To translate it, translate this file.

import type { DocumentStatus, Mode, Think } from "./api/types";

const number = new Intl.NumberFormat();
const plural = new Intl.PluralRules("en");
const ordinal = new Intl.PluralRules("en", { type: "ordinal" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

export const n = (value: number): string => number.format(value);

function count(value: number, one: string, other: string): string {
  return `${n(value)} ${plural.select(value) === "one" ? one : other}`;
}

function nth(value: number): string {
  const ends: Record<string, string> = { one: "st", two: "nd", few: "rd" };
  return `${n(value)}${ends[ordinal.select(value)] ?? "th"}`;
}

export function duration(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let i = 0;
  while (value >= 1000 && i < units.length - 1) {
    value /= 1000;
    i++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[i] ?? ""}`;
}

export function ago(iso: string, now = Date.now()): string {
  const minutes = Math.round((Date.parse(iso) - now) / 60_000);
  if (Number.isNaN(minutes)) return "";
  if (minutes > -60) return relative.format(Math.min(minutes, 0), "minute");
  if (minutes > -60 * 24) return relative.format(Math.round(minutes / 60), "hour");
  return relative.format(Math.round(minutes / 60 / 24), "day");
}

const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** What a tool is called while it runs, and when it is done. */
const tools: Record<string, [doing: string, done: string]> = {
  search_knowledge_base: ["Searching your documents", "Searched your documents"],
  list_documents: ["Looking through the library", "Looked through the library"],
  analyze_document: ["Reading a document", "Read a document"],
  compare_documents: ["Comparing documents", "Compared documents"],
  calculator: ["Calculating", "Calculated"],
  current_time: ["Checking the time", "Checked the time"],
  web_search: ["Searching the web", "Searched the web"],
  fetch_url: ["Fetching a page", "Fetched a page"],
  query_database: ["Querying the database", "Queried the database"],
  describe_database: ["Looking at the database", "Looked at the database"],
  retrieve_file: ["Opening a file", "Opened a file"],
  read: ["Reading", "Read"],
  execute_code: ["Running code", "Ran code"],
  generate_image: ["Drawing an image", "Drew an image"],
};

function toolName(tool: string): string {
  return tool.replaceAll("_", " ");
}

export const t = {
  app: "ibid",
  tagline: "Answers from your documents, with footnotes that open at the exact place.",
  skip: "Skip to the content",
  close: "Close",
  cancel: "Cancel",
  save: "Save",
  undo: "Undo",
  retry: "Try again",
  copy: "Copy",
  copied: "Copied",
  menu: "Menu",
  loading: "Loading…",
  more: "More",
  notFound: "There is nothing at this address.",
  backHome: "Start a new thread",
  offline: "The server can’t be reached. Trying again…",
  failed: (what: string) => `Something went wrong: ${what}`,

  theme: { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },

  token: {
    title: "This server needs its token",
    explain: "It was set where ibid was started (--token, or IBID_TOKEN).",
    label: "Token",
    remember: "Remember it on this device",
    refused: "The server did not accept that token.",
    submit: "Continue",
  },

  shortcuts: {
    title: "Keyboard",
    open: "Keyboard shortcuts",
    send: "Send the question",
    line: "New line",
    stop: "Stop the answer, or close what is open",
    fresh: "New thread",
    find: "Find a thread",
    library: "Open the library",
    focus: "Go to the question",
    help: "Show this list",
    helpToo: "The same, where there is no question to write",
    type: "Just start typing",
    typeExplain: "goes to the question",
  },

  threads: {
    title: "Threads",
    fresh: "New thread",
    find: "Find a thread",
    none: "Your threads will stand here.",
    noMatch: "No thread matches.",
    running: "being answered",
    untitled: "Untitled",
    options: (title: string) => `Options for “${title}”`,
    rename: "Rename",
    renameLabel: "Name of the thread",
    remove: "Delete",
    removed: (title: string) => `Deleted “${title}”`,
    today: "Today",
    yesterday: "Yesterday",
    week: "Last seven days",
    earlier: "Earlier",
    gone: "This thread does not exist (any more).",
    latest: "To the end",
  },

  ask: {
    label: "Your question",
    placeholder: "Ask your documents…",
    placeholderNone: "Ask, or drop documents here first…",
    send: "Send",
    sending: "Sending…",
    stop: "Stop",
    stopping: "Stopping…",
    add: "Attach, or add documents",
    attach: "Attach to this question",
    addToLibrary: "Add to the library",
    attachments: "Attached to this question",
    detach: (name: string) => `Don’t attach ${name}`,
    tooMany: (most: number) => `A question takes at most ${n(most)} files. Add the others to the library.`,
    web: "Search the web too",
    scope: "Choose documents to search",
    options: "How to answer",
    attached: "This thread was already being answered. Your question is still here.",
  },

  modes: {
    title: "How to answer",
    mode: "Approach",
    think: "Thinking",
    modes: {
      auto: ["Automatic", "Picks by the question"],
      agentic: ["Agent", "The model chooses its tools"],
      direct: ["Direct", "One search, one answer"],
    } satisfies Record<Mode, [string, string]>,
    thinks: { auto: "As the model likes", on: "Think first", off: "Don’t think" } satisfies Record<Think, string>,
  },

  scope: {
    title: "Search only in…",
    find: "Find a document or a category",
    all: "all documents",
    documents: "Documents",
    categories: "Categories",
    folders: "Folders",
    tags: "Tags",
    clear: "Search everything",
    remove: (name: string) => `Don’t limit to ${name}`,
    category: (name: string) => `Category: ${name}`,
    folder: (name: string) => `Folder: ${name}`,
    gone: "a deleted document",
    noMatch: "Nothing matches.",
    label: "Searches only in",
  },

  message: {
    you: "You asked",
    answer: "Answer",
    edit: "Edit and ask again",
    editLabel: "Edit the question",
    ask: "Ask again",
    retry: "Answer again",
    copy: "Copy",
    copyNotes: "Copy with footnotes",
    remove: "Delete",
    removed: "Deleted the message and what followed",
    branch: (at: number, of: number) => `Version ${at} of ${of}`,
    earlier: "Earlier version",
    later: "Later version",
    asked: (scope: string) => `Asked in: ${scope}`,
    attached: "Attached",
    withWeb: "with the web",
  },

  run: {
    thinking: "Thinking…",
    thought: "Thoughts",
    starting: "Starting…",
    queued: (place: number) => (place === 1 ? "Waiting: next in line" : `Waiting: ${nth(place)} in line`),
    working: "Working…",
    writing: "Writing…",
    reconnecting: "Connection lost. Reconnecting; the answer goes on meanwhile.",
    continued: "Continued after a restart.",
    retracted: "The first attempt broke off and was withdrawn; this is the next one.",
    todo: "To do",
    ticked: "Done",
    stopped: "You stopped this answer.",
    interrupted: "This answer was interrupted; what there was is kept.",
    failed: "This answer failed.",
    empty: "No answer was written.",
    noted: (label: string, detail: string) => (detail ? `${label}: ${detail}` : label),
    tool: (tool: string, done: boolean) => tools[tool]?.[done ? 1 : 0] ?? (done ? `Used ${toolName(tool)}` : `Using ${toolName(tool)}`),
    toolFailed: (tool: string) => `${tools[tool]?.[0] ?? toolName(tool)} failed`,
    unfinished: "not finished",
    analysed: "Understood the question",
    cacheHit: "Answered a question like this before",
    cacheMiss: "Not asked before",
    graded: (good: number, unsure: number, bad: number) =>
      `Judged the passages: ${n(good)} good, ${n(unsure)} unsure, ${n(bad)} unfit`,
    reranked: (from: number, to: number) => `Chose the best ${n(to)} of ${n(from)} passages`,
    found: (chunks: number) => count(chunks, "passage", "passages"),
    input: "Asked for",
    output: "What came back",
    confidence: (value: number) => `Confidence ${percent(value)}`,
    verified: (supported: number, checked: number) => `${n(supported)} of ${count(checked, "statement", "statements")} backed by the sources`,
    tokens: (input: number, output: number) => `${n(input)} tokens read, ${n(output)} written`,
    total: (ms: number) => duration(ms),
    fromCache: "from an earlier answer",
    fromEarlier: (when: string, question: string) =>
      `This is an earlier answer${when ? ` (${when})` : ""}${question ? `, to the question “${question}”` : " to a question like this"}.`,
    askAnew: "Answer anew",
    query: "Query",
    result: "Result",
    rowsCut: (rows: number) => `The first ${count(rows, "row", "rows")}; there are more.`,
    noRows: "No rows.",
    rowsOf: (rows: number) => count(rows, "row", "rows"),
    memory: (part: number) => `Memory ${percent(part)}`,
    memoryDetail: (used: number, budget: number, pairs: number, dropped: number) =>
      `${n(used)} of ${n(budget)} characters, ${count(pairs, "exchange", "exchanges")} remembered` +
      (dropped > 0 ? `, ${n(dropped)} older no longer` : ""),
    unsupported: "Not backed by the sources",
    partly: "Backed by the sources only in part",
  },

  sources: {
    found: (passages: number) => `${count(passages, "source", "sources")} found`,
    list: "Sources",
    footnotes: "Footnotes",
    web: "On the web",
    moreDocuments: (rest: number) => `+${count(rest, "document", "documents")}`,
    fewer: "Fewer",
    page: (page: number) => `p. ${page}`,
    pages: (pages: number[]) => (pages.length > 1 ? `pp. ${pages[0]}–${pages[pages.length - 1]}` : pages[0] ? `p. ${pages[0]}` : ""),
    footnote: (number: number, title: string, page: string) => `Footnote ${number}: ${title}${page ? `, ${page}` : ""}`,
    open: "Open the passage",
    onWeb: (host: string) => `Open at ${host}`,
    notOnWeb: "The address of this page can’t be opened.",
  },

  panel: {
    title: "Source",
    close: "Close the source",
    quote: "The words this rests on",
    gone: "This document is no longer in the library. This is what it said:",
    file: "A file of this conversation says:",
    openFile: "Open the file",
    goneDocument: "This document is no longer in the library.",
    noOriginal: "The original can’t be shown; this is its text.",
    page: (page: number, of: number) => `Page ${page} of ${of}`,
    pageLabel: "Page",
    previous: "Previous page",
    next: "Next page",
    zoomIn: "Larger",
    zoomOut: "Smaller",
    fit: "Fit the width",
    find: "Back to the quote",
    download: "Open the original",
    loading: "Opening the document…",
    broken: (why: string) => `The page can’t be drawn (${why}). This is the passage:`,
    notExact: "The exact words could not be found on this page; the passage below is what was read from it.",
    original: "Page",
    text: "Text",
    viewAs: "Show as",
    why: "Why this passage",
    score: "Score",
    level: "Kind",
    levels: { L1: "section", L2: "passage", L3: "sentence" } as Record<string, string>,
    heading: "Under the heading",
    grade: "Judged",
    grades: { CORRECT: "fits the question", AMBIGUOUS: "fits in part", INCORRECT: "does not fit" } as Record<string, string>,
    lexical: "By its words",
    vector: "By its meaning",
    rank: (rank: number | undefined, score: number | undefined) =>
      rank ? `${nth(rank)}${score === undefined ? "" : ` (${score.toFixed(2)})`}` : "not found that way",
    version: "Version",
    webPage: "What the page said when it was read:",
    query: "The query that was asked, and what came back:",
    ask: "Ask about this document",
  },

  library: {
    title: "Library",
    count: (documents: number) => count(documents, "document", "documents"),
    summary: (documents: number, chunks: number) => `${count(documents, "document", "documents")}, ${count(chunks, "passage", "passages")}`,
    add: "Add files",
    addFolder: "Add a folder",
    category: "Category for new files",
    categoryNone: "no category",
    filter: "Filter",
    empty: "No documents yet.",
    noMatch: "No document matches.",
    drop: "Drop to add to the library; onto the question to attach",
    options: (title: string) => `Options for ${title}`,
    open: "Open",
    ask: "Ask about this",
    remove: "Delete",
    removed: (title: string) => `Deleted ${title}`,
    pages: (pages: number) => count(pages, "page", "pages"),
    chunks: (chunks: number) => count(chunks, "passage", "passages"),
    changedChunks: (embedded: number, all: number, kept: number) => `${n(embedded)} of ${count(all, "passage", "passages")} embedded, ${n(kept)} kept`,
    pagesDone: (done: number, all: number) => `page ${n(done)} of ${n(all)}`,
    eta: (seconds: number) => `${duration(seconds * 1000)} left`,
    looks: { documents: "Documents", passages: "Search inside", databases: "Databases" },
    path: "Where you are in the library",
    askFolder: "Ask about this folder",
    edit: "Edit…",
    cancel: "Stop reading it",
    fields: { title: "Title", folder: "Folder", category: "Category", tags: "Tags, between commas" },
    watched: "To have a folder followed, so that what changes in it changes here: ibid add --watch FOLDER",
    statuses: { queued: "Waiting", processing: "Processing", ready: "Ready", failed: "Could not be read" } satisfies Record<DocumentStatus, string>,
    stages: { extract: "Reading", chunk: "Cutting into passages", embed: "Learning meanings", index: "Indexing" } as Record<string, string>,
    uploading: (done: number, all: number) => `Adding ${n(Math.min(done + 1, all))} of ${count(all, "file", "files")}`,
    uploaded: (files: number) => `${count(files, "file", "files")} added`,
    notAdded: (name: string, why: string) => `${name}: ${why}`,
    unchanged: "was here already, unchanged",
    cut: "the upload broke off",
    dismiss: "Dismiss",
  },

  find: {
    placeholder: "Search in what the documents say",
    go: "Search",
    mode: "Search by",
    modes: { auto: "both, as it suits", lexical: "words", vector: "meaning", rrf: "both, by rank", mix: "both, by score" },
    category: "Category",
    anyCategory: "any",
    results: "Passages found",
    summary: (found: number, searched: number, ms: number) => `${count(found, "passage", "passages")} of ${n(searched)}, in ${duration(ms)}`,
  },

  databases: {
    title: "Databases",
    about: "Answers may query them, and show the query and its result. They are only ever read.",
    none: "No database is connected.",
    without: "This server knows no databases.",
    source: "postgres://reader:password@host/name, or the path of a file on the server",
    sourceLabel: "Address of a database",
    connect: "Connect",
    upload: "Upload a SQLite, CSV or Excel file",
    removed: (name: string) => `Disconnected ${name}`,
    removeLabel: (name: string) => `Disconnect ${name}`,
    rows: (rows: number, more: boolean) => (rows < 0 ? "" : `${more ? "more than " : ""}${count(rows, "row", "rows")}`),
  },

  settings: {
    title: "Settings",
    models: "Models",
    names: { model: "Answers", plan_model: "Thinks before the answer", embedder: "Turns text into vectors" } as Record<string, string>,
    test: "Test this",
    testOf: (name: string) => `Test this: ${name}`,
    testing: "Testing…",
    health: "Health",
    check: "Check everything",
    all: "All settings",
    how: "Written as key = value into this file, as a variable of the environment, or as a flag of “ibid serve”; they hold from the next start.",
    secret: "set, not shown",
    unset: "not set",
    from: (origin: string) => `from ${origin}`,
    variable: (name: string) => name,
  },

  first: {
    title: "Ask your own documents",
    lead: "Add a few files, ask a question, and check every statement at its source.",
    steps: [
      ["Add documents", "PDF, Markdown, HTML, plain text or code. They stay on this machine."],
      ["Ask in your own words", "You see what is searched and found while the answer is made."],
      ["Check the footnotes", "Each opens the very page, with the words marked."],
    ] as [string, string][],
    dropHere: "Drop files or a folder anywhere on this page",
    or: "or from a terminal:",
    command: "ibid add ~/Documents",
    ready: (documents: number) => `${count(documents, "document is", "documents are")} ready.`,
    readyTitle: "What would you like to know?",
    processing: (documents: number) => `${count(documents, "document is", "documents are")} being read. You can ask already.`,
  },

  model: {
    reader: "The built-in reader answers by quoting",
    readerExplain:
      "It needs no download and invents nothing: it searches your documents and answers with their best sentences. For answers in its own words, point ibid at a language model:",
    readerCommand: "ibid serve --model ollama:qwen3:4b",
    readerCommandNote: "Any Ollama model or OpenAI-compatible server will do; “ibid doctor” checks it.",
    unreachable: (name: string) => `The model ${name} can’t be reached`,
    unreachableExplain: "Questions will fail until it is back. This mends it:",
    unreachableCommand: (name: string) => (name.startsWith("ollama") ? "ollama serve" : "ibid doctor"),
    missing: "No model is set up",
    status: (name: string) => `Model: ${name}`,
    version: (version: string) => `ibid ${version}`,
  },

  announce: {
    thinking: "Thinking",
    step: (label: string) => label,
    sources: (passages: number) => `${count(passages, "source", "sources")} found`,
    writing: "The answer begins",
    done: (notes: number, text: string) => `The answer is complete, with ${count(notes, "footnote", "footnotes")}. ${text}`,
    stopped: "Stopped",
    failed: (why: string) => `The answer failed: ${why}`,
  },
};
