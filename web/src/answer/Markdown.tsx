import { memo, useEffect, useMemo, useRef, type ComponentProps, type ReactNode, type Ref } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import remend from "remend";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { CopyButton } from "../ui/CopyButton";
import { bringIntoSight, inSight } from "../ui/scroll";
import { splitBlocks } from "./blocks";
import { doubtsOf, type Weak } from "./doubts";
import { FootnoteMark, FootnoteScope, useOpenNumber } from "./FootnoteMark";
import { Formula } from "./Formula";
import { remarkMarks } from "./marks";
import { markAnswer } from "./markup";
import { markFormulas } from "./math";

/** An answer's text with its footnotes; what the open footnote backs is lit, what the sources do not back is underlined. */
export function AnswerText({ view }: { view: RunView }) {
  const { messageId, text, citations, found, verification, writing } = view;
  const open = useOpenNumber(messageId);
  const lit = citations.find((c) => c.n === open)?.statements;
  const marked = useMemo(() => markAnswer({ text, citations, found }, doubtsOf({ verification, citations }), lit ?? []), [text, citations, found, verification, lit]);
  const prose = useRef<HTMLDivElement>(null);
  // Whoever walks through the footnotes sees what each of them backs.
  useEffect(() => {
    if (open === undefined) return;
    const statements = [...(prose.current?.querySelectorAll(".statement[data-lit=true]") ?? [])];
    const scroller = prose.current?.closest(".scroller") ?? null;
    if (!statements.some((el) => inSight(scroller, el))) bringIntoSight(scroller, statements[0], "center");
  }, [open]);
  return (
    <FootnoteScope.Provider value={useMemo(() => ({ messageId, citations }), [messageId, citations])}>
      <Markdown ref={prose} text={marked} growing={writing} />
    </FootnoteScope.Provider>
  );
}

interface Props {
  /** Its private-use characters are marks (marks.ts). */
  text: string;
  /** More is coming: what is half written is shown as what it will be. */
  growing?: boolean;
  ref?: Ref<HTMLDivElement>;
}

/** Markdown as people read it. Raw HTML stays text; pictures of other hosts are never fetched. */
export function Markdown({ text, growing = false, ref }: Props) {
  const blocks = useMemo(() => splitBlocks(markFormulas(text)), [text]);
  const last = blocks.length - 1;
  return (
    <div className="prose" ref={ref}>
      {blocks.map((block, i) => (
        <Block key={i} text={growing && i === last ? remend(block) : block} />
      ))}
    </div>
  );
}

const plugins: Options["remarkPlugins"] = [remarkGfm, remarkMarks];

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

/** Where pictures are served that belong to a message. */
const madePicture = /^\/v1\/messages\/[\w.:-]+\/files\/\d+$/;

const components: Components = {
  // No line breaks between a word and its footnotes, nor between these (answer.css).
  cite: ({ node }) => (
    <span className="footnote-marks">
      {property(node, "notes")
        .split(",")
        .map((n) => (
          <FootnoteMark key={n} n={Number(n)} />
        ))}
    </span>
  ),
  var: ({ node }) => <Formula source={property(node, "formula")} />,
  u: ({ node, children }) => {
    const support = property(node, "support");
    return (
      <span className={["statement", support && "doubt"].filter(Boolean).join(" ")} data-lit={property(node, "lit")} data-support={support || undefined} title={t.run.supports[support as Weak]}>
        {children}
      </span>
    );
  },
  // For whoever can't see that the words before it are underlined.
  ins: ({ node }) => <span className="doubt-mark visually-hidden"> ({t.run.supports[property(node, "support") as Weak]}) </span>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Pictures that an answer made stand below it (Pictures). Others the page's policy would refuse,
  // and fetching them could tell a stranger something: a link says what there is to see.
  img: ({ src, alt }) =>
    typeof src !== "string" || madePicture.test(src) ? null : (
      <a href={src} target="_blank" rel="noreferrer noopener">
        {alt || src}
      </a>
    ),
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  pre: Pre,
  input: ({ checked }) => <input type="checkbox" checked={checked} disabled aria-label={checked ? t.run.ticked : t.run.todo} />,
};

/** What remarkMarks said of an element. */
export function property(node: { properties: Record<string, unknown> } | undefined, name: string): string {
  const value = node?.properties[`data-${name}`] ?? node?.properties[`data${name[0]?.toUpperCase()}${name.slice(1)}`];
  return typeof value === "string" ? value : "";
}

function Pre({ children }: ComponentProps<"pre">) {
  const code = textOf(children);
  return (
    <div className="code">
      <CopyButton text={() => code} />
      <pre tabIndex={0}>{children}</pre>
    </div>
  );
}

function textOf(node: ReactNode): string {
  if (typeof node === "string") return node;
  if (Array.isArray(node)) return node.map((n: ReactNode) => textOf(n)).join("");
  if (typeof node === "object" && node !== null && "props" in node) return textOf((node.props as { children?: ReactNode }).children);
  return "";
}
