import type { ForwarderCounters } from '../types.ts';

export interface WriterCounters {
  /** Documents that the server will never take. */
  readonly refused: number;
  readonly failing: boolean;
}

const ORIGIN = 'flotilla';

/** A line beside those of impstats. */
export function renderWriterCounters({ refused, failing }: WriterCounters): string {
  return `${JSON.stringify({ name: 'writer', origin: ORIGIN, refused, failing })}\n`;
}

/** The newest counters of the writer in the log of counters. */
export function readWriterCounters(log: string): Partial<Pick<ForwarderCounters, 'failed' | 'suspended'>> {
  const line = log.split('\n').findLast((one) => one.startsWith('{"name":"writer"'));
  if (line === undefined) return {};
  try {
    const { refused, failing } = JSON.parse(line) as Partial<WriterCounters>;
    return { failed: typeof refused === 'number' ? refused : 0, suspended: failing === true };
  } catch {
    // The line was written while the log was read.
    return {};
  }
}
