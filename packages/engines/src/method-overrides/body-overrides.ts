import type { Budget } from '../budget.ts';
import { type AsciiMeaning, findCharsets, readAscii } from '../content/charsets.ts';
import { listContentTypes } from '../content/content-type-lines.ts';
import { decodeBody } from '../content/encodings.ts';
import { readBoundary } from '../content/multipart/boundary.ts';
import { upgradeOf } from '../content/upgrade.ts';
import type { RequestView } from '../engine.ts';
import { findJsonOverrides } from './json-overrides.ts';
import type { Override } from './names.ts';
import { findPairOverrides } from './pair-overrides.ts';
import { findPartOverrides } from './part-overrides.ts';

/** The forms in which some framework may read fields from a body. */
export interface FieldForms {
  readonly isForm: boolean;
  readonly isParts: boolean;
  readonly isJson: boolean;
  /** Lowercase, without duplicates. */
  readonly charsets: readonly string[];
  readonly ascii: AsciiMeaning;
  /** The boundary if all parsers read the same one; otherwise empty. */
  readonly boundary: string;
}

/** Part of `application/x-www-form-urlencoded`; formidable searches for this word. */
const FORM = 'urlencoded';
/** Part of `multipart/form-data`; Rack also accepts `mixed` and `related`, and formidable any. */
const PARTS = 'multipart';
/** Laravel searches for `/json` and `+json` anywhere, formidable for the word. */
const JSON_TYPE = 'json';
/** A line without a type: Rack treats it as a form (POST). */
const NO_TYPE = /^[\s;,]*(?:;|,|$)/;
const NO_LINES = [''];

/** CONNECT is followed by a tunnel and not by content (RFC 9110 section 9.3.6). */
const TUNNEL = /^connect$/i;

/** How frameworks may read fields from the body; undefined if none does. A type counts wherever a line mentions it. */
export function readFieldForms(request: RequestView): FieldForms | undefined {
  if (TUNNEL.test(request.method)) return undefined;
  const lines = listContentTypes(request);
  const dense = (lines.length === 0 ? NO_LINES : lines).map((line) => line.toLowerCase().replaceAll(/\s/g, ''));
  const isForm = dense.some((line) => line.includes(FORM) || NO_TYPE.test(line));
  const isParts = dense.some((line) => line.includes(PARTS));
  const isJson = dense.some((line) => line.includes(JSON_TYPE));
  if (!isForm && !isParts && !isJson) return undefined;
  const charsets = [...new Set(lines.flatMap((line) => findCharsets(line.toLowerCase())))];
  const boundary = isParts ? readBoundary(lines) : '';
  return { isForm, isParts, isJson, charsets, ascii: readAscii(charsets), boundary };
}

/** True if Envoy does not treat what follows the headers as a body, but a server that ignores the upgrade may. */
export function hasUnseenFields(request: RequestView): boolean {
  return upgradeOf(request) === 'other' && readFieldForms(request) !== undefined;
}

/** True if body fields may request another method. */
export function mayHoldFields(request: RequestView): boolean {
  return upgradeOf(request) === 'none' && readFieldForms(request) !== undefined;
}

/**
 * Yields every method that a body field requests, as read by any framework; undefined if the body, or something that
 * names a field, cannot be read. Throws `BudgetExceeded`.
 */
export function* findBodyOverrides(body: Buffer, forms: FieldForms, budget: Budget): Generator<Override> {
  const { isForm, isParts, isJson, charsets, ascii, boundary } = forms;
  if (body.length === 0) return;
  if (isForm) {
    // In a charset that redefines ASCII (Tomcat, ASP.NET), names cannot be read either.
    if (ascii === 'unknown') yield undefined;
    yield* findPairOverrides(toPairs(body), budget);
  }
  if (isParts) {
    if (ascii !== 'always') yield undefined;
    yield* findPartOverrides(body, boundary, budget);
  }
  if (isJson) {
    const decoded = decodeBody(body, charsets);
    if (!decoded.isReadable) yield undefined;
    for (const text of decoded.texts) yield* findJsonOverrides(text, budget);
  }
}

const MARK = Buffer.from('\ufeff');

/** A form as text, one byte per character. Drops a byte order mark before the first name, as iconv-lite does (Express). */
export function toPairs(body: Buffer): string {
  return body.toString('latin1', body.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
}
