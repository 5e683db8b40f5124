import { type LogEntry, timesOfEntries } from '@flotilla/contract';

/** The lines that a screen keeps; older ones are dropped while it follows a log. */
export const LINES_MAX = 5000;

/** Formats an entry as text. Further lines of its message are indented. */
export function formatEntry({ timestamp, level, source, component, message }: LogEntry): string {
  const from = component === '' || component === source ? source : `${source}/${component}`;
  return [timestamp ?? '-', level.padEnd(8), from, message.replaceAll('\n', '\n    ')].join(' ');
}

/** Joins pages. The pages of several logs may overlap in time, so the lines are sorted; the sort keeps the order of equal times. */
export function joinPages(pages: ReadonlyArray<{ readonly logs: readonly LogEntry[] }>): readonly LogEntry[] {
  const all = pages.flatMap(({ logs }) => logs);
  const times = timesOfEntries(all);
  return all
    .map((entry, index) => ({ entry, at: times[index] ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
