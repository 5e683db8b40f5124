import type { AlignedData } from 'uplot';

interface Drawn {
  readonly times: readonly string[];
  readonly drawn: readonly { readonly values: readonly (number | null)[] }[];
  /** Index of the first incomplete step. */
  readonly openFrom: number;
}

/** Returns the times, one line per series up to its last complete step, and one dashed line each for the rest. A null is a gap in both. */
export function toPlotData({ times, drawn, openFrom }: Drawn): AlignedData {
  const isDashed = (index: number) => openFrom < times.length && index >= openFrom - 1;
  return [
    times.map((at) => Date.parse(at) / 1000),
    ...drawn.map(({ values }) => values.map((value, index) => (index < openFrom ? value : null))),
    ...drawn.map(({ values }) => values.map((value, index) => (isDashed(index) ? value : null))),
  ];
}
