import { Download, MessageCirclePlus, X } from "lucide-react";
import type { ReactNode } from "react";
import { auth, authHeaders, request } from "../api/client";
import type { Doc } from "../api/types";
import { closeSource } from "../app/router";
import { askAbout } from "../library/askAbout";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { toast } from "../ui/toasts";
import { fileUrl } from "./Viewer";

interface FrameProps {
  number?: number;
  title: string;
  where?: string;
  doc?: Doc;
  version?: string;
  page?: number;
  children: ReactNode;
}

/** What stands around a source: its name, where in it one is, and what can be done with it. */
export function Frame({ number, title, where, doc, version = "", page, children }: FrameProps) {
  return (
    <>
      <header className="source-head">
        <div className="source-name">
          <h2>
            {number !== undefined && <span className="source-number">{number}</span>}
            {title}
          </h2>
          {where && <p className="faint">{where}</p>}
        </div>
        {doc && (
          <>
            <IconButton label={t.panel.ask} onClick={() => askAbout(doc.id)}>
              <MessageCirclePlus aria-hidden />
            </IconButton>
            <IconButton label={t.panel.download} onClick={() => void openOriginal(doc, version, page)}>
              <Download aria-hidden />
            </IconButton>
          </>
        )}
        <IconButton label={t.panel.close} onClick={closeSource}>
          <X aria-hidden />
        </IconButton>
      </header>
      {children}
    </>
  );
}

/** In a tab of its own; where a token is needed, a link could not carry it. */
async function openOriginal(doc: Doc, version: string, page: number | undefined): Promise<void> {
  const url = fileUrl(doc.id, version);
  const link = document.createElement("a");
  link.target = "_blank";
  link.rel = "noopener";
  link.href = page && doc.format === "pdf" ? `${url}#page=${page}` : url;
  if (auth.get().token !== undefined) {
    try {
      const blob = await (await request(url, { headers: authHeaders() })).blob();
      link.href = URL.createObjectURL(blob);
      link.download = doc.name;
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
      return;
    }
  }
  link.click();
}
