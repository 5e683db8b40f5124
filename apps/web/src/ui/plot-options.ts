import type uPlot from 'uplot';
import type { ChartMark, Series, SeriesChartProps } from './series.ts';

const AXIS_PX = 52;
const CHARACTER_PX = 6.4;
const DAY_S = 86_400;

/** Width of the longest label. */
function widthOf(labels: readonly string[] | null): number {
  return Math.max(AXIS_PX, ...(labels ?? []).map((label) => Math.ceil(label.length * CHARACTER_PX) + 14));
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Intervals of ticks for integers: 1, 2, 5, 10 ... */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

/** Intervals of ticks for bytes: 1 B to 1 PiB. */
const BYTE_STEPS = Array.from({ length: 51 }, (_, power) => 2 ** power);

/** Finds values between two gaps, which have no line and need a point. */
function findLone({ data }: uPlot, at: number): number[] {
  const values = data[at] ?? [];
  return Array.from(values.keys()).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  );
}

/** Formats a tick as `14:05` in local time, or as a date at the beginning of a day and if a step is a day. */
function formatTick(seconds: number, stepS: number): string {
  const at = new Date(seconds * 1000);
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight || stepS >= DAY_S ? day.format(at) : clock.format(at);
}

interface PlotOptions extends Pick<SeriesChartProps, 'format' | 'max' | 'leastTop' | 'isBytes'> {
  readonly width: number;
  readonly height: number;
  readonly drawn: readonly Series[];
  readonly onIndex: (index: number | null) => void;
  /** Returns the newest marks and the reaction to a selected range; they change without a new plot. */
  readonly live: () => LivePlot;
}

export interface LivePlot {
  readonly marks: readonly ChartMark[];
  readonly onZoom: ((from: string, to: string) => void) | undefined;
}

/** A shorter drag is a click. */
const DRAG_PX = 5;
const EARLIER = { width: 1.25, alpha: 0.6 } as const;

export function createOptions({ width, height, drawn, onIndex, live, ...values }: PlotOptions): uPlot.Options {
  const { max, leastTop = 1 } = values;
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: read('--mantine-color-dimmed'),
    grid: { stroke: read('--f-line'), width: 1 },
    ticks: { show: false },
    font: `11px ${read('--mantine-font-family') || 'sans-serif'}`,
  };
  return {
    width,
    height,
    cursor: { y: false, drag: { x: live().onZoom !== undefined, y: false, setScale: false } },
    legend: { show: false },
    scales: { y: { range: (_, __, top) => [0, max ?? Math.max((top ?? 0) * 1.1, leastTop)] } },
    axes: [
      { ...axis, size: 28, values: (_, ticks, __, ___, step) => ticks.map((tick) => formatTick(tick, step)) },
      { ...axis, ...createValueAxis(values) },
    ],
    series: [
      {},
      ...[undefined, [4, 4]].flatMap((dash) =>
        drawn.map(({ label, color, isEarlier }) => ({
          label,
          stroke: read(color),
          width: 1.75,
          ...(isEarlier && EARLIER),
          ...(dash && { dash }),
          points: { size: 5, filter: findLone },
        })),
      ),
    ],
    hooks: {
      setCursor: [(self) => onIndex(self.cursor.idx ?? null)],
      setSelect: [(self) => zoom(self, live().onZoom)],
      draw: [(self) => drawMarks(self, live().marks, read('--f-busy'))],
    },
  };
}

function zoom(plot: uPlot, onZoom: LivePlot['onZoom']): void {
  const { left, width } = plot.select;
  if (width < DRAG_PX) return;
  const timeAt = (px: number) => new Date(Math.round(plot.posToVal(px, 'x')) * 1000).toISOString();
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom?.(timeAt(left), timeAt(left + width));
}

/** Draws a vertical line with a small triangle for each mark within the range. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[], color: string): void {
  const { ctx, bbox } = plot;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([size, size]);
  for (const { at } of marks) {
    const x = plot.valToPos(Date.parse(at) / 1000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + size * 1.5);
    ctx.fill();
  }
  ctx.restore();
}

function createValueAxis({ format, isBytes }: Pick<PlotOptions, 'format' | 'isBytes'>): uPlot.Axis {
  return {
    size: (_, labels) => widthOf(labels),
    // Fractions would give several ticks the same label.
    ...(isBytes && { incrs: BYTE_STEPS }),
    ...(!isBytes && format(0.5) === format(Math.round(0.5)) && { incrs: WHOLE_STEPS }),
    // With small counts, uPlot makes more ticks than there are integers.
    values: (_, ticks) => {
      const words = ticks.map((tick) => format(tick));
      const isAmbiguous = new Set(words).size < words.length;
      return words.map((word, index) => (isAmbiguous && !Number.isInteger(ticks[index]) ? '' : word));
    },
  };
}
