import type { ClientRow } from './model.ts';

/** CPU and memory of a client, from its answer. */
export interface Sample {
  readonly cpu_percent: number;
  readonly memory_percent: number;
  readonly at: string;
}

/** Maximum number of clients that are queried at once: the first page of the list. */
export const ASKED_MAX = 500;

/** Returns the connected clients to query. */
export function pickClientsToAsk(rows: readonly ClientRow[]): { client_id: string }[] {
  return rows
    .filter((row) => row.connected)
    .slice(0, ASKED_MAX)
    .map(({ client_id }) => ({ client_id }));
}

/** Parses the answer to CLIENT_STATS; undefined if it contains no sample. */
export function readSample(result: unknown): Sample | undefined {
  const { at, cpu, memory } = asRecord(result);
  const { load_avg_5: load, cores } = asRecord(cpu);
  const { usage_percent: used } = asRecord(memory);
  if (typeof at !== 'string' || typeof load !== 'number' || typeof cores !== 'number' || typeof used !== 'number')
    return undefined;
  if (Number.isNaN(Date.parse(at)) || cores === 0) return undefined;
  return { at, cpu_percent: (load / cores) * 100, memory_percent: used };
}

/** Returns the row with the newer of its own sample and the answer. */
export function withSample(row: ClientRow, sample: Sample | undefined): ClientRow {
  if (!sample || (row.stats_at !== null && row.stats_at >= sample.at)) return row;
  return { ...row, cpu_percent: sample.cpu_percent, memory_percent: sample.memory_percent, stats_at: sample.at };
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
