import type { LogEntry } from '@flotilla/proto/commands';

/** The times of log entries in milliseconds. An entry without a time has that of the entry before it, so that a sort keeps them together. */
export function timesOfEntries(entries: readonly Pick<LogEntry, 'timestamp'>[]): readonly number[] {
  let last = 0;
  return entries.map(({ timestamp }) => {
    if (timestamp !== null) last = Date.parse(timestamp);
    return last;
  });
}
