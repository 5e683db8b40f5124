export interface Series {
  readonly label: string;
  /** Name of a CSS variable: `--f-bad`. */
  readonly color: `--${string}`;
  /** One value for each time; null is a gap. */
  readonly values: readonly (number | null)[];
  /** The values are of an earlier range, for comparison. */
  readonly isEarlier?: boolean;
}

/** Something that happened at a time: a change, a deployment. */
export interface ChartMark {
  readonly at: string;
  readonly label: string;
}

export interface SeriesChartProps {
  /** Accessible name, and the title of the table view. */
  readonly title: string;
  /** RFC 3339, ascending. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly height?: number;
  /** Top of the scale if it is fixed: 100 for percent. */
  readonly max?: number;
  /** The scale goes at least to this value; by default 1. */
  readonly leastTop?: number;
  readonly marks?: readonly ChartMark[];
  /** Called with the range that the user selected by dragging. */
  readonly onZoom?: (from: string, to: string) => void;
  /** Values are counts per step, and the latest step is incomplete: the legend shows values only at the pointer. */
  readonly isCount?: boolean;
  /** Index of the first incomplete step: lines are dashed from there on. */
  readonly openFrom?: number;
  /** Whether the legend explains gaps. */
  readonly hasGaps?: boolean;
  /** Values are bytes, or bytes per second: the scale uses powers of two. */
  readonly isBytes?: boolean;
}
