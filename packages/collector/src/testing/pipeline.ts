import type { LogBatch, LogEntry } from '@flotilla/access-log';
import { API_DISCOVERY_SETTINGS, type ApiDiscoverySettings } from '@flotilla/contract';
import type { RequestEvent } from '@flotilla/event-store';
import { toEvents } from '@flotilla/event-store/testing/events';
import { fromFlagBits, type OperationDelta, toOperationId } from '@flotilla/inventory';
import { type Collected, Pipeline, type PipelineOptions } from '../pipeline.ts';
import { createEntry, createLogBatch, NOON_MS } from './entries.ts';

export const KEY = new Uint8Array(32).fill(7);

export function parseSettings(settings: unknown = {}): ApiDiscoverySettings {
  return API_DISCOVERY_SETTINGS.schema.parse(settings);
}

interface Changes extends Partial<Omit<PipelineOptions, 'knowledge'>> {
  readonly settings?: unknown;
  readonly knowledge?: Partial<PipelineOptions['knowledge']>;
}

export function createPipeline({ settings, knowledge, ...options }: Changes = {}): Pipeline {
  return new Pipeline({
    project: 'project-1',
    toOperationId,
    ...options,
    knowledge: { settings: parseSettings(settings), key: KEY, ...knowledge },
  });
}

let sequence = 0;

export function collect(
  pipeline: Pipeline,
  entries: readonly Partial<LogEntry>[],
  { nowMs = NOON_MS, ...batch }: Partial<LogBatch> & { nowMs?: number } = {},
): Omit<Collected, 'events'> & { readonly events: readonly RequestEvent[] } {
  sequence += 1;
  const collected = pipeline.collect(createLogBatch(entries.map(createEntry), { sequence, ...batch }), {
    service: 'service-1',
    client: 'client-1',
    nowMs,
  });
  return { ...collected, events: toEvents(collected.events) };
}

/** The flags of a single request, after the pipeline has learned its path. */
export function flagsOf(entry: Partial<LogEntry>, changes: Changes = {}): string[] {
  const { events } = collect(createPipeline(changes), [entry]);
  return fromFlagBits(events[0]?.flags ?? []);
}

/** Sums of deltas by method, host and path. */
export function countSeen(deltas: Iterable<OperationDelta>): Map<string, number> {
  const seen = new Map<string, number>();
  for (const { key, seen: count } of deltas) {
    const name = `${key.method} ${key.host}${key.normalizedPath}`;
    seen.set(name, (seen.get(name) ?? 0) + count);
  }
  return seen;
}
