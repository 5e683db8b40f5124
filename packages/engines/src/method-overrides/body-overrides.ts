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

/** As what a body with fields may be read by some framework. */
export interface FieldForms {
  readonly isForm: boolean;
  readonly isParts: boolean;
  readonly isJson: boolean;
  /** Lowercase, none twice. */
  readonly charsets: readonly string[];
  readonly ascii: AsciiMeaning;
  /** Of the parts, where all parsers read the same one; else empty. */
  readonly boundary: string;
}

/** Of `application/x-www-form-urlencoded`; formidable looks for the word alone. */
const FORM = 'urlencoded';
/** Of `multipart/form-data`; Rack also reads `mixed` and `related`, and formidable any. */
const PARTS = 'multipart';
/** Laravel looks for `/json` and `+json` anywhere, formidable for the word. */
const JSON_TYPE = 'json';
/** A line without a type: to Rack (POST) it is a form's. */
const NO_TYPE = /^[\s;,]*(?:;|,|$)/;
const NO_LINES = [''];

/** What follows it is a tunnel, and no content (RFC 9110 section 9.3.6). */
const TUNNEL = /^connect$/i;

/** How frameworks may read fields from the body; undefined where none does. A type counts wherever a line mentions it. */
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

/** True where what follows the headers is no body to Envoy, and may be one to a server that takes no notice of the upgrade. */
export function hasUnseenFields(request: RequestView): boolean {
  return upgradeOf(request) === 'other' && readFieldForms(request) !== undefined;
}

/** True where fields of the body may ask for another method. */
export function mayHoldFields(request: RequestView): boolean {
  return upgradeOf(request) === 'none' && readFieldForms(request) !== undefined;
}

/**
 * Every method that a field of the body asks for, by any framework's reading; undefined among them where the body, or something
 * that names a field of it, cannot be read. Throws `BudgetExceeded`.
 */
export function* findBodyOverrides(body: Buffer, forms: FieldForms, budget: Budget): Generator<Override> {
  const { isForm, isParts, isJson, charsets, ascii, boundary } = forms;
  if (body.length === 0) return;
  if (isForm) {
    // In a charset in which ASCII is something else (Tomcat, ASP.NET) names are, too.
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

/** A form as text, a byte a character. A byte order mark before the first name is dropped, as iconv-lite does (Express). */
export function toPairs(body: Buffer): string {
  return body.toString('latin1', body.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
}
