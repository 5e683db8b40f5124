const FAINTEST = 0.2;

/** Opacity for a count. The square root keeps small counts visible beside large ones. */
export function shadeOf(count: number, most: number): number {
  if (count <= 0 || most <= 0) return 0;
  return FAINTEST + (1 - FAINTEST) * Math.sqrt(Math.min(count, most) / most);
}
