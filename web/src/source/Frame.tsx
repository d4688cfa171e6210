import { Download, MessageCirclePlus, X } from "lucide-react";
import type { ReactNode } from "react";
import { auth, authHeaders, request } from "../api/client";
import type { Doc } from "../api/types";
import { closeSource } from "../app/router";
import { askAbout } from "../library/askAbout";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { toast } from "../ui/toasts";
import type { Walk } from "./notes";
import { WalkArrows } from "./WalkArrows";

/** The file behind a source. */
export interface Original {
  url: string;
  name: string;
  /** To be opened there, where browsers can. */
  page?: number;
}

interface FrameProps {
  /** Set for a footnote: which of the answer's it is, and the way to the others. */
  walk?: Walk;
  title: string;
  where?: string;
  /** Set for a document of the library. */
  doc?: Doc;
  original?: Original;
  children: ReactNode;
}

/** What stands around a source: its name, where in it one is, and what can be done with it. */
export function Frame({ walk, title, where, doc, original, children }: FrameProps) {
  return (
    <>
      <header className="source-head">
        {walk && <WalkArrows walk={walk} />}
        <div className="source-name">
          <h2>{title}</h2>
          {where && <p className="faint">{where}</p>}
        </div>
        <div className="source-actions">
          {doc && (
            <IconButton label={t.panel.ask} onClick={() => askAbout(doc.id)}>
              <MessageCirclePlus aria-hidden />
            </IconButton>
          )}
          {original && (
            <IconButton label={t.panel.download} onClick={() => void openOriginal(original)}>
              <Download aria-hidden />
            </IconButton>
          )}
          <IconButton label={t.panel.close} onClick={closeSource}>
            <X aria-hidden />
          </IconButton>
        </div>
      </header>
      {children}
    </>
  );
}

/** In a tab of its own; where a token is needed, a link could not carry it. */
async function openOriginal({ url, name, page }: Original): Promise<void> {
  const link = document.createElement("a");
  link.target = "_blank";
  link.rel = "noopener";
  link.href = page ? `${url}#page=${page}` : url;
  if (auth.get().token !== undefined) {
    try {
      const blob = await (await request(url, { headers: authHeaders() })).blob();
      link.href = URL.createObjectURL(blob);
      link.download = name;
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
      return;
    }
  }
  link.click();
}
