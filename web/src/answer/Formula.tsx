import { useEffect, useRef, useState } from "react";
import { readFormula } from "./math";

type Draw = typeof import("./drawFormula").drawFormula;

let drawer: Promise<Draw> | undefined;
let loaded: Draw | undefined;

/** Typesetting is fetched with the first formula that is shown. */
async function load(): Promise<Draw> {
  drawer ??= import("./drawFormula").then((m) => m.drawFormula);
  return (loaded = await drawer);
}

/** A formula as MathML, which browsers draw and screen readers read; its source until that is ready. */
export function Formula({ source }: { source: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [draw, setDraw] = useState(() => loaded);
  const { tex, display } = readFormula(source);

  useEffect(() => {
    let wanted = true;
    if (!draw)
      load().then(
        (d) => wanted && setDraw(() => d),
        () => undefined, // the source says it too
      );
    return () => {
      wanted = false;
    };
  }, [draw]);

  useEffect(() => {
    if (draw && place.current) draw(tex, display, place.current);
  }, [draw, tex, display]);

  return (
    <span className="formula" data-display={display} data-formula={source} tabIndex={display ? 0 : undefined} role={display ? "group" : undefined}>
      <span ref={place} key={source}>
        {draw ? null : <code>{tex}</code>}
      </span>
    </span>
  );
}
