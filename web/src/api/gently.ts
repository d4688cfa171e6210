/**
 * Makes a function that does the work at once, and again when it was called
 * meanwhile, but never before a second has passed, nor before ten times as long
 * as the work took: counting a large library must not be most of what is done.
 */
export function gently(work: () => Promise<void>, leastMs = 1_000): () => void {
  let wanted = false;
  let busy = false;
  const run = async () => {
    busy = true;
    while (wanted) {
      wanted = false;
      const began = Date.now();
      await work().catch(() => undefined); // whoever shows the counts shows what failed
      await new Promise((resolve) => setTimeout(resolve, Math.max(leastMs, 10 * (Date.now() - began))));
    }
    busy = false;
  };
  return () => {
    wanted = true;
    if (!busy) void run();
  };
}
