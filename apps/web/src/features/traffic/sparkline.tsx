import { formatRate } from './figures.ts';
import { toPaths } from './spark-paths.ts';
import { texts } from './texts.tsx';

const text = texts.columns;

const WIDTH_PX = 96;
const HEIGHT_PX = 22;

interface SparklineProps {
  /** Requests per second, oldest first; null was not reported. */
  readonly values: readonly (number | null)[];
  /** Errors per second of the same minutes. */
  readonly errors: readonly (number | null)[];
}

/** Draws requests per second and, below them, errors. Minutes without a report are gaps. */
export function Sparkline({ values, errors }: SparklineProps) {
  const size = { width: WIDTH_PX, height: HEIGHT_PX, top: Math.max(0, ...values.map((value) => value ?? 0)) };
  return (
    <svg width={WIDTH_PX} height={HEIGHT_PX} role="img" aria-label={text.spark(describe(values))}>
      {toPaths(values, size).map((path) => (
        <path key={path} d={path} fill="none" stroke="var(--f-busy)" strokeWidth={1.4} strokeLinecap="round" />
      ))}
      {errors.some((value) => value) &&
        toPaths(errors, size).map((path) => (
          <path key={path} d={path} fill="none" stroke="var(--f-bad)" strokeWidth={1.4} strokeLinecap="round" />
        ))}
    </svg>
  );
}

function describe(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return text.noReport;
  return text.range(formatRate(Math.min(...known)), formatRate(Math.max(...known)), formatRate(values.at(-1) ?? null));
}
