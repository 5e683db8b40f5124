export interface Refusal {
  readonly reason: string;
  readonly count: number;
}

export type BulkVerdict =
  /** The server has taken or refused every document for good. */
  | { readonly kind: 'done'; readonly refusals: readonly Refusal[] }
  /** Some documents are neither taken nor refused. */
  | { readonly kind: 'again'; readonly reason: string };

const CONFLICT = 409;
const TOO_MANY = 429;

/** Judges the results of a `_bulk` request, one for each of `count` documents. */
export function judgeBulk(answer: unknown, count: number): BulkVerdict {
  const items = asRecord(answer).items;
  if (!Array.isArray(items) || items.length !== count)
    return { kind: 'again', reason: 'the server does not answer as Elasticsearch' };
  const refusals = new Map<string, number>();
  for (const item of items) {
    const { status, error } = asRecord(Object.values(asRecord(item))[0]);
    const code = typeof status === 'number' ? status : 0;
    // A conflict: an earlier attempt has stored the document.
    if ((code >= 200 && code < 300) || code === CONFLICT) continue;
    const reason = `${code} ${describe(error)}`.trim();
    if (code < 400 || code === TOO_MANY || code >= 500) return { kind: 'again', reason };
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
  }
  return { kind: 'done', refusals: [...refusals].map(([reason, n]) => ({ reason, count: n })) };
}

/** The reason in the body of an error, if there is one. */
export function describeError(body: string): string {
  try {
    return describe(asRecord(JSON.parse(body)).error);
  } catch {
    return '';
  }
}

function describe(error: unknown): string {
  if (typeof error === 'string') return error;
  const { type, reason } = asRecord(error);
  return [type, reason].filter((one) => typeof one === 'string').join(': ');
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
