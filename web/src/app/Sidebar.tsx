import { Keyboard, LibraryBig, MessagesSquare, Monitor, Moon, Settings as SettingsIcon, SquarePen, Sun } from "lucide-react";
import { useDocumentCount } from "../api/documents";
import { useServerStatus } from "../api/queries";
import { n, t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { useStore } from "../ui/store";
import { finderOpen } from "./Finder";
import { ThreadList } from "./ThreadList";
import { Link } from "./Link";
import { nextTheme, theme } from "./theme";
import { useView, type View } from "./router";
import { shortcutsOpen } from "./Shortcuts";

const inLibrary: ReadonlySet<View["name"]> = new Set(["library", "passages", "databases", "watched", "removed"]);

export function Sidebar() {
  const view = useView();
  const documents = useDocumentCount().data;
  return (
    <nav className="sidebar" aria-label={t.menu}>
      <div className="sidebar-head">
        <Link to={{ view: { name: "new" } }} className="wordmark" aria-label={t.app}>
          {t.app}
        </Link>
      </div>
      <Link to={{ view: { name: "new" } }} className="nav-item" current={view.name === "new"} title={t.threads.fresh}>
        <SquarePen aria-hidden />
        <span className="nav-name">{t.threads.fresh}</span>
      </Link>
      <Link to={{ view: { name: "library" } }} className="nav-item" current={inLibrary.has(view.name)} title={t.library.title}>
        <LibraryBig aria-hidden />
        <span className="nav-name">{t.library.title}</span>
        {documents !== undefined && <span className="nav-count">{n(documents)}</span>}
      </Link>
      {/* Stands for the list where that has no room: beside an open source. */}
      <button type="button" className="nav-item when-folded" title={t.threads.find} onClick={() => finderOpen.set(true)}>
        <MessagesSquare aria-hidden />
        <span className="nav-name">{t.threads.find}</span>
      </button>
      <ThreadList />
      <Foot />
    </nav>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon };

function Foot() {
  const status = useServerStatus();
  const chosen = useStore(theme);
  const Icon = themeIcons[chosen];
  const model = status.data?.model;
  const broken = status.isError || model?.reachable === false;
  return (
    <div className="sidebar-foot">
      <span className="model-state" data-bad={broken} title={status.data?.version ? t.model.version(status.data.version) : undefined}>
        <span className="dot" aria-hidden />
        <span className="model-name">{status.isError ? t.offline : model?.name ? model.name : t.app}</span>
      </span>
      <Link to={{ view: { name: "settings" } }} className="icon-button" aria-label={t.settings.title} title={t.settings.title}>
        <SettingsIcon aria-hidden />
      </Link>
      <IconButton label={t.shortcuts.open} onClick={() => shortcutsOpen.set(true)} className="fine-only">
        <Keyboard aria-hidden />
      </IconButton>
      <IconButton label={t.theme[chosen]} onClick={nextTheme}>
        <Icon aria-hidden />
      </IconButton>
    </div>
  );
}
