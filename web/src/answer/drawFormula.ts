// Loaded with the first formula: Temml turns TeX into MathML. What a model wrote
// is no more trusted here than elsewhere: no links, no styles of its own, no
// endless macros.

import temml from "temml";
import "temml/dist/Temml-Local.css";

export function drawFormula(tex: string, display: boolean, into: HTMLElement): void {
  try {
    temml.render(tex, into, { displayMode: display, throwOnError: true, trust: false, maxExpand: 500, maxSize: [20, 200] });
  } catch {
    const code = document.createElement("code");
    code.textContent = tex;
    into.replaceChildren(code);
  }
}
