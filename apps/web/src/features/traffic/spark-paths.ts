interface Size {
  readonly width: number;
  readonly height: number;
  /** Value at the upper edge. */
  readonly top: number;
}

const EDGE_PX = 2;

/** Returns one SVG path for every run of known values; a lone value becomes a point. */
export function toPaths(values: readonly (number | null)[], { width, height, top }: Size): string[] {
  const x = (index: number) => EDGE_PX + (index * (width - 2 * EDGE_PX)) / Math.max(1, values.length - 1);
  const y = (value: number) => height - EDGE_PX - (top === 0 ? 0 : (value / top) * (height - 2 * EDGE_PX));
  const paths: string[] = [];
  let run = '';
  const end = () => {
    if (run !== '') paths.push(run.includes('L') ? run : `${run}h0.1`);
    run = '';
  };
  for (const [index, value] of values.entries()) {
    if (value === null) end();
    else run += `${run === '' ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  }
  end();
  return paths;
}
