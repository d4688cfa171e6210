// How large each document was last looked at in this tab; 1 is as wide as the panel.

const zooms = new Map<string, number>();

export const leastZoom = 0.5;
export const mostZoom = 4;

export function zoomOf(id: string): number {
  return zooms.get(id) ?? 1;
}

export function rememberZoom(id: string, zoom: number): number {
  const to = Math.min(mostZoom, Math.max(leastZoom, zoom));
  if (Math.abs(to - 1) < 0.01) zooms.delete(id);
  else zooms.set(id, to);
  return zoomOf(id);
}
