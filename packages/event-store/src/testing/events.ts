import type { EventChunk } from '../chunk.ts';
import { decodeEvent } from '../decode.ts';
import type { RequestEvent } from '../event.ts';
import type { EventBatch } from '../port.ts';

/** A Wednesday at 10:00 UTC. */
export const NOON_MS = Date.UTC(2026, 10, 25, 10);

/** Numbers from 0 to 1 that are the same in each run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function createEvent(changes: Partial<RequestEvent> = {}): RequestEvent {
  return {
    timeMs: NOON_MS,
    service: 'shop',
    client: 'edge-1',
    listener: 'https',
    protocol: 'http/2',
    method: 'GET',
    host: 'api.example.com',
    path: '/orders/{id}',
    route: 'orders',
    cluster: 'orders-v1',
    country: 'NL',
    status: 200,
    latencyUs: 12_500,
    requestBytes: 120,
    responseBytes: 2_048,
    asn: 64_496,
    operationId: '00000000000000a1',
    consumer: '00000000000000c1',
    ...changes,
  };
}

export function createBatch(sequence: number, events: readonly RequestEvent[], sender = 'edge-1'): EventBatch {
  return { sender, epoch: 'e1', sequence, events };
}

const STATUSES = [200, 200, 200, 201, 404, 429, 500];
const pick = <T>(values: readonly T[], random: () => number): T => values[Math.floor(random() * values.length)] as T;

/** Traffic of `count` requests over `spanMs` from `startMs`. */
export function createTraffic(
  count: number,
  options: { seed: number; startMs: number; spanMs: number },
): RequestEvent[] {
  const random = createRandom(options.seed);
  return Array.from({ length: count }, () => {
    const operation = Math.floor(random() ** 2 * 40);
    return createEvent({
      timeMs: options.startMs + Math.floor(random() * options.spanMs),
      method: pick(['GET', 'POST', 'DELETE'], random),
      path: `/things-${operation}/{id}`,
      operationId: (0xa0 + operation).toString(16).padStart(16, '0'),
      consumer: (0x1000 + Math.floor(random() * 50)).toString(16).padStart(16, '0'),
      country: pick(['NL', 'DE', 'BR', ''], random),
      status: pick(STATUSES, random),
      latencyUs: Math.floor(10 ** (2 + random() * 5)),
      requestBytes: Math.floor(random() * 1_000),
      responseBytes: Math.floor(random() * 100_000),
      action: random() < 0.1 ? 'block' : '',
      risk: Math.floor(random() * 20),
      flags: random() < 0.2 ? [3, 41] : [],
      weight: random() < 0.1 ? 10 : 1,
    });
  });
}

/** The events of a chunk as objects. */
export function toEvents({ rows, timeMs, words, numbers }: EventChunk): RequestEvent[] {
  return Array.from({ length: rows }, (_, row) => {
    const columns: Record<string, unknown> = { timeMs: timeMs[row], batch: 0n, ordinal: row };
    for (const [name, column] of Object.entries(numbers)) columns[name] = column[row];
    for (const [name, { texts, codes }] of Object.entries(words)) columns[name] = texts[codes[row] ?? 0];
    const { id: _id, ...event } = decodeEvent(columns, String);
    return event;
  });
}
