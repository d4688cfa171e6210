import { QueryClientProvider } from "@tanstack/react-query";
import { Menu, SquarePen } from "lucide-react";
import { Dialog, Tooltip } from "radix-ui";
import { lazy, memo, Suspense, useState } from "react";
import { auth } from "../api/client";
import { queryClient } from "../api/queries";
import { useOneThread } from "../api/threads";
import { DropZone } from "../library/DropZone";
import { SameName } from "../library/SameName";
import { UploadTray } from "../library/UploadTray";
import { uploads } from "../library/uploads";
import { useFeed } from "../library/useFeed";
import { SourcePanel } from "../source/SourcePanel";
import { t } from "../strings";
import { NewThread } from "../thread/NewThread";
import { ThreadView } from "../thread/ThreadView";
import { Announcer } from "../ui/announce";
import { narrow, useMedia } from "../ui/hooks";
import { IconButton } from "../ui/IconButton";
import { useStore } from "../ui/store";
import { Toasts } from "../ui/toasts";
import { Finder } from "./Finder";
import { go, usePlacePart, useView, type View } from "./router";
import { Shortcuts } from "./Shortcuts";
import { Sidebar } from "./Sidebar";
import { TokenForm } from "./TokenForm";

// Fetched when they are first shown: most visits are for a thread.
const Library = lazy(() => import("../library/Library"));
const Databases = lazy(() => import("../library/Databases"));
const Watched = lazy(() => import("../library/Watched"));
const RemovedList = lazy(() => import("../library/RemovedList"));
const Settings = lazy(() => import("../settings/Settings"));

export function App() {
  const { refused } = useStore(auth);
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delayDuration={500}>
        {refused ? <TokenForm /> : <Shell />}
        <Toasts />
        <Announcer />
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

function Shell() {
  const view = useView();
  const hasSource = usePlacePart(({ source }) => source !== undefined);
  useFeed(useSeesLibrary(view));
  return (
    <>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <div className="shell" data-source={hasSource}>
        <Side />
        <main className="main" id="main" tabIndex={-1}>
          <Suspense fallback={<p className="faint library-note">{t.loading}</p>}>
            <Main view={view} />
          </Suspense>
        </main>
        <SourcePanel />
      </div>
      <UploadTray />
      <SameName />
      <DropZone />
      <Finder />
      <Shortcuts />
    </>
  );
}

/**
 * Whether the page shows documents as they change, or adds some. Elsewhere it
 * does without the stream: a browser allows few connections to one server, over
 * all its tabs, and a thread that is being answered needs one.
 */
function useSeesLibrary({ name }: View): boolean {
  const sending = useStore(uploads).left > 0;
  return name === "library" || name === "passages" || name === "new" || sending;
}

const Main = memo(function Main({ view }: { view: View }) {
  switch (view.name) {
    case "new":
      return <NewThread />;
    case "thread":
      return <ThreadView key={view.id} threadId={view.id} />;
    case "library":
    case "passages":
      return <Library folder={view.folder ?? ""} look={view.name === "library" ? "documents" : "passages"} />;
    case "databases":
      return <Databases />;
    case "watched":
      return <Watched />;
    case "removed":
      return <RemovedList />;
    case "settings":
      return <Settings />;
    case "unknown":
      return (
        <div className="empty">
          <h1>{t.notFound}</h1>
          <button type="button" className="button primary" onClick={() => go({ view: { name: "new" } })}>
            {t.backHome}
          </button>
        </div>
      );
  }
});

/** On a phone the bar says which thread one is in. */
function BarTitle({ view }: { view: View }) {
  const title = useOneThread(view.name === "thread" ? view.id : "").data?.title;
  return title ? (
    <span className="bar-title" title={title}>
      {title}
    </span>
  ) : (
    <span className="wordmark">{t.app}</span>
  );
}

/** The sidebar; where there is no room for it, a bar with a button that opens it. */
function Side() {
  const isNarrow = useMedia(narrow);
  const view = useView();
  const [openAt, setOpenAt] = useState<View>(); // whoever goes elsewhere has closed it
  const open = openAt === view;
  const setOpen = (to: boolean) => setOpenAt(to ? view : undefined);
  if (!isNarrow) return <Sidebar />;
  return (
    <header className="bar">
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger asChild>
          <button type="button" className="icon-button" aria-label={t.menu}>
            <Menu aria-hidden />
          </button>
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content
            className="side-sheet"
            aria-describedby={undefined}
            onOpenAutoFocus={(e) => {
              e.preventDefault(); // the sheet itself: a field would bring up a phone's keyboard
              if (e.currentTarget instanceof HTMLElement) e.currentTarget.focus();
            }}
          >
            <Dialog.Title className="visually-hidden">{t.menu}</Dialog.Title>
            <Sidebar />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      <BarTitle view={view} />
      <IconButton label={t.threads.fresh} onClick={() => go({ view: { name: "new" } })}>
        <SquarePen aria-hidden />
      </IconButton>
    </header>
  );
}
