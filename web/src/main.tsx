import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { language } from "./format";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layers.css";
import "./styles/shell.css";
import "./styles/thread.css";
import "./styles/ask.css";
import "./styles/answer.css";
import "./styles/cards.css";
import "./styles/source.css";
import "./styles/pages.css";
import "./styles/library.css";
import "./styles/mending.css";
import "./styles/print.css";
import "./styles/settings.css";

const root = document.getElementById("root");
document.documentElement.lang = language;
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
