import type { UrlSearch } from '../../../app/url-state.ts';

export interface TrialDraft {
  readonly method: string;
  /** Absolute, or a path with the host in the header `host`. */
  readonly url: string;
  /** `name: value`, one per line. */
  readonly headers: string;
  readonly body: string;
  /** Empty if unknown. */
  readonly sourceIp: string;
}

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export const EMPTY_DRAFT: TrialDraft = { method: 'GET', url: '', headers: '', body: '', sourceIp: '' };

/**
 * Whether a URL is an absolute URL or a path. `api.example.com/v1`, which other tools read as a host, would be a path
 * without a host here: no domain would cover it, and the result would look as if the host was unprotected.
 */
export function isTarget(url: string): boolean {
  return /^(?:\/|\*$|https?:\/\/[^/?#])/i.test(url.trim());
}

/** Returns the numbers of the lines in `headers` that are not headers. */
export function findBadHeaders(headers: string): readonly number[] {
  return linesOf(headers).flatMap(({ text, line }) => (readHeader(text) ? [] : [line]));
}

export function readHeaders(headers: string): [name: string, value: string][] {
  return linesOf(headers).flatMap(({ text }) => readHeader(text) ?? []);
}

function linesOf(text: string): readonly { readonly text: string; readonly line: number }[] {
  return text
    .split('\n')
    .map((each, index) => ({ text: each.trim(), line: index + 1 }))
    .filter((each) => each.text !== '');
}

/** Parses a header as in RFC 9110 section 5.6.2. Also accepts the names of HTTP/2 that begin with a colon. */
function readHeader(text: string): [[string, string]] | undefined {
  const found = /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s?(.*)$/.exec(text);
  return found?.[1] === undefined ? undefined : [[found[1], found[2] ?? '']];
}

/** Names that may carry a credential, whose values never go into a URL. */
const SECRET = /auth|cookie|key|token|secret|pass|session|credential|signature|jwt|bearer/i;

/** Converts a draft to URL parameters: everything but the body and possible credentials. */
export function toSearch(draft: TrialDraft, alsoSecret: readonly string[] = []): UrlSearch {
  const isSecret = (name: string) =>
    SECRET.test(name) || alsoSecret.some((other) => other.toLowerCase() === name.toLowerCase());
  const headers = readHeaders(draft.headers).filter(([name]) => !isSecret(name));
  return {
    method: draft.method === 'GET' ? undefined : draft.method,
    url: withoutSecrets(draft.url, isSecret) || undefined,
    header: headers.length === 0 ? undefined : headers.map(([name, value]) => `${name}: ${value}`),
    ip: draft.sourceIp || undefined,
  };
}

export function fromSearch(
  get: (name: string) => string | undefined,
  all: (name: string) => readonly string[],
): TrialDraft {
  return {
    method: get('method') ?? 'GET',
    url: get('url') ?? '',
    headers: all('header').join('\n'),
    body: '',
    sourceIp: get('ip') ?? '',
  };
}

/** Removes secret parameters and the user info before the host. */
function withoutSecrets(url: string, isSecret: (name: string) => boolean): string {
  const [before = '', ...rest] = url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1').split('?');
  if (rest.length === 0) return before;
  const kept = rest
    .join('?')
    .split('&')
    .filter((pair) => !isSecret(decode(pair.split('=')[0] ?? '')));
  return kept.length === 0 ? before : `${before}?${kept.join('&')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Converts a recorded request to URL parameters of a trial, as far as it was recorded. */
export function toSampleSearch(sample: {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly source_ip: string;
}): UrlSearch {
  const { method, host, path, source_ip: sourceIp } = sample;
  const authority = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return {
    ...toSearch({ ...EMPTY_DRAFT, method, url: host === '' ? path : `https://${authority}${path}`, sourceIp }),
    header: undefined,
  };
}

/** Converts a draft to the request as the API expects it. */
export function toTrialRequest({ method, url, headers, body, sourceIp }: TrialDraft) {
  const listed = readHeaders(headers);
  return {
    method: method.trim() || 'GET',
    url: url.trim(),
    ...(listed.length > 0 && { headers: listed }),
    ...(body !== '' && { body }),
    ...(sourceIp.trim() !== '' && { source_ip: sourceIp.trim() }),
  };
}
