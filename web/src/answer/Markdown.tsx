import { memo, useMemo, type ComponentProps, type ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import remend from "remend";
import type { Citation, Verification } from "../api/types";
import { t } from "../strings";
import { CopyButton } from "../ui/CopyButton";
import { splitBlocks } from "./blocks";
import { FootnoteMark, FootnoteScope } from "./FootnoteMark";
import { markDoubts } from "./doubts";
import { Formula } from "./Formula";
import { markCitations, remarkMarks } from "./marks";
import { markFormulas } from "./math";

interface Props {
  text: string;
  /** More is coming: what is half written is shown as what it will be. */
  growing?: boolean;
  citations?: readonly Citation[];
  messageId?: string;
  /** Statements that the sources do not back are marked. */
  verification?: Verification;
}

const none: readonly Citation[] = [];

/** An answer as people read it. Raw HTML stays text; pictures of other hosts are never fetched. */
export function Markdown({ text, growing = false, citations = none, messageId = "", verification }: Props) {
  const blocks = useMemo(() => splitBlocks(markFormulas(markCitations(markDoubts(text, verification), citations))), [text, citations, verification]);
  const last = blocks.length - 1;
  return (
    <FootnoteScope.Provider value={useMemo(() => ({ messageId, citations }), [messageId, citations])}>
      <div className="prose">
        {blocks.map((block, i) => (
          <Block key={i} text={growing && i === last ? remend(block) : block} />
        ))}
      </div>
    </FootnoteScope.Provider>
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
  cite: ({ node }) => <FootnoteMark n={Number(property(node, "n"))} />,
  var: ({ node }) => <Formula source={property(node, "formula")} />,
  u: ({ node, children }) => (
    <span className="doubt" data-part={property(node, "part")}>
      {children}
    </span>
  ),
  ins: ({ node }) => <DoubtEnd part={property(node, "part") === "true"} />,
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

function property(node: { properties: Record<string, unknown> } | undefined, name: string): string {
  const value = node?.properties[`data-${name}`] ?? node?.properties[`data${name[0]?.toUpperCase()}${name.slice(1)}`];
  return typeof value === "string" ? value : "";
}

/** After the words in doubt, for whoever can't see that they are marked, or asks why. */
function DoubtEnd({ part }: { part: boolean }) {
  const why = part ? t.run.partly : t.run.unsupported;
  return (
    <span className="doubt-mark" data-part={part} role="img" aria-label={why} title={why}>
      ?
    </span>
  );
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
