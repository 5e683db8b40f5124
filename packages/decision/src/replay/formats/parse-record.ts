import type { LogItem, RecordContents, RecordedRequest, RecordPlace } from '../recorded-request.ts';

/** Envoy rejects longer targets, so they are not requests. */
const URL_MAX_CHARS = 64 * 1024;
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;

/** The common form of all formats. */
export interface RecordDraft {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly host?: string | undefined;
  readonly headers?: readonly (readonly [string, string])[] | undefined;
  readonly body?: string | undefined;
  readonly bodyBase64?: string | undefined;
  readonly sourceIp?: string | undefined;
  readonly peer?: string | undefined;
  readonly trustedHops?: number | undefined;
  readonly timeMs?: number | undefined;
  readonly status?: number | undefined;
  readonly wasBlocked?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly carries: RecordContents;
  readonly weight?: number | undefined;
  readonly client?: string | undefined;
}

export function bad(place: RecordPlace, why: string): LogItem {
  return { kind: 'bad', bad: { ...place, why } };
}

/** Returns a record, or the reason why the line is not one. */
export function toLogItem(draft: RecordDraft, place: RecordPlace): LogItem {
  const { method, url } = draft;
  if (method === undefined || !METHOD.test(method)) return bad(place, 'names no method');
  if (url === undefined) return bad(place, 'names no path or URL');
  if (url.length > URL_MAX_CHARS) return bad(place, `has a URL longer than ${URL_MAX_CHARS} characters`);
  const record: RecordedRequest = {
    request: {
      method,
      url,
      ...(draft.host === undefined ? {} : { host: draft.host }),
      ...(draft.headers === undefined ? {} : { headers: draft.headers }),
      ...(draft.body === undefined ? {} : { body: draft.body }),
      ...(draft.bodyBase64 === undefined ? {} : { body_base64: draft.bodyBase64 }),
      ...(draft.sourceIp === undefined ? {} : { source_ip: draft.sourceIp }),
      ...(draft.peer === undefined ? {} : { peer: draft.peer }),
      ...(draft.trustedHops === undefined ? {} : { trusted_hops: draft.trustedHops }),
    },
    timeMs: draft.timeMs,
    status: draft.status,
    wasBlocked: draft.wasBlocked,
    reason: draft.reason,
    carries: draft.carries,
    place,
    ...(draft.weight === undefined ? {} : { weight: draft.weight }),
    ...(draft.client === undefined ? {} : { client: draft.client }),
  };
  return { kind: 'request', record };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
