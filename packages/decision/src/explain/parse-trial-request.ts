import { parseAddress } from '@flotilla/engines';
import { err, ok, type Result } from '@flotilla/kit';
import {
  isTrialTarget,
  TRIAL_BODY_MAX_BYTES,
  TRIAL_HEADERS_MAX,
  TRIAL_HEADERS_MAX_CHARS,
  TRIAL_URL_MAX_CHARS,
  type TrialRequest,
} from './trial-request.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'method',
  'url',
  'host',
  'headers',
  'body',
  'body_base64',
  'source_ip',
  'peer',
  'trusted_hops',
]);
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const HEADER_NAME = /^:?[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** A longer chain of proxies is a typing error. */
const TRUSTED_HOPS_MAX = 64;
const HOST_MAX_CHARS = 1024;
const URL_EXAMPLE = 'write https://api.example.com/v1, or /v1 with api.example.com as the host';

/** Parses a trial request from outside. The error names the field and the problem; it quotes no values. */
export function parseTrialRequest(value: unknown): Result<TrialRequest, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return err('a request is a JSON object');
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const name of fields.keys()) {
    if (!FIELDS.has(name)) return err(`${JSON.stringify(name.slice(0, 64))} is not a field of a request`);
  }
  const method = fields.get('method') ?? 'GET';
  if (typeof method !== 'string' || !METHOD.test(method)) return err('method must be an HTTP method');
  const url = fields.get('url');
  if (typeof url !== 'string' || url === '') return err('url is required: an absolute URL or a path');
  if (url.length > TRIAL_URL_MAX_CHARS) return err(`url must be at most ${TRIAL_URL_MAX_CHARS} characters`);
  if (!isTrialTarget(url)) return err(`url needs a scheme or a leading slash: ${URL_EXAMPLE}`);
  const headers = parseHeaders(fields.get('headers'));
  if (!headers.ok) return headers;
  const texts = parseTexts(fields);
  if (!texts.ok) return texts;
  const hops = fields.get('trusted_hops');
  if (hops !== undefined && !isWithin(hops, TRUSTED_HOPS_MAX)) {
    return err(`trusted_hops must be a whole number from 0 to ${TRUSTED_HOPS_MAX}`);
  }
  return ok({
    method,
    url,
    headers: headers.value,
    ...texts.value,
    ...(typeof hops === 'number' ? { trusted_hops: hops } : {}),
  });
}

function parseHeaders(value: unknown): Result<readonly (readonly [string, string])[], string> {
  if (value === undefined) return ok([]);
  const complaint = 'headers must be a list of [name, value]';
  if (!Array.isArray(value)) return err(complaint);
  if (value.length > TRIAL_HEADERS_MAX) return err(`headers must be at most ${TRIAL_HEADERS_MAX} lines`);
  const headers: (readonly [string, string])[] = [];
  let chars = 0;
  for (const line of value as readonly unknown[]) {
    if (!Array.isArray(line) || line.length !== 2) return err(complaint);
    const [name, text] = line as readonly unknown[];
    if (typeof name !== 'string' || typeof text !== 'string') return err(complaint);
    if (!HEADER_NAME.test(name)) return err(`headers[${headers.length}] has no valid name`);
    chars += name.length + text.length;
    if (chars > TRIAL_HEADERS_MAX_CHARS) return err(`headers must be at most ${TRIAL_HEADERS_MAX_CHARS} characters`);
    headers.push([name, text]);
  }
  return ok(headers);
}

type Texts = Pick<TrialRequest, 'host' | 'body' | 'body_base64' | 'source_ip' | 'peer'>;

function parseTexts(fields: ReadonlyMap<string, unknown>): Result<Texts, string> {
  const texts: Record<string, string> = {};
  for (const name of ['host', 'body', 'body_base64', 'source_ip', 'peer']) {
    const text = fields.get(name);
    if (text === undefined) continue;
    if (typeof text !== 'string') return err(`${name} must be text`);
    texts[name] = text;
  }
  const { host = '', body = '', body_base64: base64 = '' } = texts;
  if (host.length > HOST_MAX_CHARS) return err(`host must be at most ${HOST_MAX_CHARS} characters`);
  if (texts.body !== undefined && texts.body_base64 !== undefined) return err('give one of body and body_base64');
  // Checked first, because the pattern walks over the whole text.
  if (Buffer.byteLength(body) > TRIAL_BODY_MAX_BYTES || base64.length > Math.ceil(TRIAL_BODY_MAX_BYTES / 3) * 4) {
    return err(`the body must be at most ${TRIAL_BODY_MAX_BYTES} bytes`);
  }
  if (!isBase64(base64)) return err('body_base64 must be base64 with its padding');
  for (const name of ['source_ip', 'peer'] as const) {
    if (texts[name] !== undefined && parseAddress(texts[name]) === '') return err(`${name} must be an IP address`);
  }
  return ok(texts);
}

/** Tests slices: a pattern with groups keeps a stack that grows with the text. */
function isBase64(text: string): boolean {
  const slice = 64 * 1024;
  for (let at = 0; at < text.length; at += slice) {
    const part = text.slice(at, at + slice);
    if (!BASE64.test(part) || (part.endsWith('=') && at + slice < text.length)) return false;
  }
  return true;
}

function isWithin(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}
