import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { ServiceSocket } from '../service-socket.ts';
import { isRecord, readAdmin } from './read-admin.ts';

/** Limit of findings per message. */
export const EVENTS_PER_PAGE = 200;
const TIMEOUT_MS = 1_000;
/** Twice the maximum size of a page. */
const PAGE_MAX_BYTES = 8 * 1024 * 1024;
const EPOCH_MAX_CHARS = 100;

const VERDICTS: ReadonlyMap<unknown, fleet.ShieldVerdict> = new Map([
  ['blocked', fleet.ShieldVerdict.BLOCKED],
  ['detected', fleet.ShieldVerdict.DETECTED],
  ['error', fleet.ShieldVerdict.ERROR],
]);

/** The last finding that was read from a filter: the run, and the number in that run. */
export interface EventCursor {
  readonly epoch: string;
  readonly seq: number;
}

/** The findings after a cursor, and the cursor for the next page. */
export interface EventPage {
  readonly message: fleet.ShieldEvents;
  readonly next: EventCursor;
}

/** Reads the findings after `cursor`. Returns undefined if there is no response or an older filter has sent it. */
export async function readShieldEvents(
  adminSocket: ServiceSocket,
  serviceId: string,
  cursor: EventCursor,
): Promise<EventPage | undefined> {
  const read = (after: number) =>
    readAdmin(adminSocket, {
      path: `/events?after=${after}&limit=${EVENTS_PER_PAGE}`,
      timeoutMs: TIMEOUT_MS,
      maxBytes: PAGE_MAX_BYTES,
      parse: (answer) => parseShieldEvents(answer, serviceId),
    });
  const page = await read(cursor.seq);
  // A restarted filter numbers its findings from the beginning.
  return page === undefined || page.next.epoch === cursor.epoch || cursor.seq === 0 ? page : read(0);
}

/** Parses the response of `/events`. Omits malformed findings. */
export function parseShieldEvents(value: unknown, serviceId: string): EventPage | undefined {
  if (!isRecord(value) || typeof value.epoch !== 'string' || !Array.isArray(value.events)) return undefined;
  const { epoch, next } = value;
  if (epoch.length > EPOCH_MAX_CHARS) return undefined;
  const events = value.events.slice(0, EVENTS_PER_PAGE).flatMap((one: unknown) => parseEvent(one) ?? []);
  const last = events.at(-1);
  // The cursor must not be before the last finding here. Otherwise the same findings would be read forever.
  const seq = Math.max(Number(last?.seq ?? 0n), toCount(next) ?? 0);
  return { message: create(fleet.ShieldEventsSchema, { serviceId, epoch, events }), next: { epoch, seq } };
}

function parseEvent(value: unknown): fleet.ShieldEvent | undefined {
  if (!isRecord(value)) return undefined;
  const seq = toCount(value.seq);
  const verdict = VERDICTS.get(value.verdict);
  if (seq === undefined || verdict === undefined) return undefined;
  const timeMs = Date.parse(toText(value.time, 32));
  return create(fleet.ShieldEventSchema, {
    seq: BigInt(seq),
    timeMs: Number.isNaN(timeMs) ? 0n : BigInt(timeMs),
    requestId: toText(value.request_id, 128),
    host: toText(value.host, 256),
    method: toText(value.method, 32),
    path: toText(value.path, 1024),
    policy: toText(value.policy, 256),
    route: toText(value.route, 1024),
    engine: toText(value.engine, 64),
    reason: toText(value.reason, 64),
    severity: toText(value.severity, 16),
    verdict,
    status: toCount(value.status) ?? 0,
    subject: toText(value.subject, 256),
    sourceIp: toText(value.source_ip, 64),
    digest: toText(value.digest, 64),
    detail: toText(value.detail, 512),
  });
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function toText(value: unknown, max: number): string {
  return typeof value === 'string' ? value.slice(0, max).toWellFormed() : '';
}
