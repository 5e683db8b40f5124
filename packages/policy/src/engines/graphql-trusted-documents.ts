import { hash } from 'node:crypto';
import { findDataPathFault } from '../bundle-path.ts';
import type { Complaint } from '../problem.ts';
import { parseStrictJson } from '../strict-json.ts';
import { type DataFiles, isRecord } from './engine-spec.ts';

/** Larger files are rejected before they are read. */
export const TRUSTED_DOCUMENTS_MAX_BYTES = 32 * 1024 * 1024;
const DOCUMENTS_MAX = 100_000;

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';
const APOLLO_VERSION = 1;
const DIGEST = /^[0-9a-f]{64}$/i;
const SHOWN_ID_CHARS = 64;

/**
 * The digests of the texts in a file. JSON contains only its name: a list may have megabytes and be shared by many
 * blocks, so its bytes are transferred separately.
 */
export class DocumentList {
  /** SHA-256 of `digests` in hexadecimal: equal names mean equal lists. */
  readonly sha256: string;
  /** SHA-256 of each text, 32 bytes each, sorted and unique. Never written to, so threads may share them. */
  readonly digests: Uint8Array;

  constructor(sha256: string, digests: Uint8Array) {
    this.sha256 = sha256;
    this.digests = digests;
  }

  toJSON(): { readonly sha256: string } {
    return { sha256: this.sha256 };
  }
}

/** `what` continues "the file ...". */
type TrustedDocuments =
  | { readonly ok: true; readonly list: DocumentList }
  | { readonly ok: false; readonly what: string };

/** Checks the file that `trusted_documents_file` refers to, and its name. */
export function checkTrustedDocuments(
  block: Readonly<Record<string, unknown>>,
  files: DataFiles | undefined,
): Complaint[] {
  const path = block.trusted_documents_file;
  if (typeof path !== 'string' || path === '') return [];
  const at = ['trusted_documents_file'];
  const isMissing = files !== undefined && !files.has(path);
  const misplaced = findDataPathFault(path) ?? (isMissing ? 'names a file that is not in the bundle' : undefined);
  if (misplaced !== undefined) return [{ path: at, rule: 'graphql.file', message: misplaced }];
  const content = files?.get(path);
  const read = content === undefined ? undefined : readOnce(content);
  if (read === undefined || read.ok) return [];
  return [{ path: at, rule: 'graphql.trusted_documents', message: `names a file that ${read.what}` }];
}

/** The file must have passed `checkTrustedDocuments`. */
export function listTrustedDocuments(content: Uint8Array | undefined): DocumentList {
  const read = content === undefined ? refuse('is not in the bundle') : readOnce(content);
  if (!read.ok) throw new Error(`a file of trusted documents was not validated: it ${read.what}`);
  return read.list;
}

/** Results by file content: blocks share files, and each is checked and then normalized. */
const readings = new WeakMap<Uint8Array, TrustedDocuments>();

function readOnce(content: Uint8Array): TrustedDocuments {
  const known = readings.get(content);
  if (known !== undefined) return known;
  const read = readTrustedDocuments(content);
  readings.set(content, read);
  return read;
}

/**
 * Parses a file in any of three formats: a persisted query manifest of Apollo, an object of texts by id (Relay and
 * others), or a list of SHA-256 digests in hexadecimal. Texts are compared byte by byte.
 */
export function readTrustedDocuments(content: Uint8Array): TrustedDocuments {
  if (content.byteLength > TRUSTED_DOCUMENTS_MAX_BYTES) {
    return refuse(`is larger than ${TRUSTED_DOCUMENTS_MAX_BYTES} bytes`);
  }
  const value = parseStrictJson(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  if (Array.isArray(value)) return readDigests(value);
  if (!isRecord(value)) {
    return refuse('must be JSON in UTF-8, without a byte order mark, no name written twice: a list or an object');
  }
  // `format` may also be an id; it then has a text, and no list of operations is next to it.
  if (value.format === APOLLO_FORMAT || Array.isArray(value.operations)) return readManifest(value);
  return readTexts(Object.entries(value).map(([id, text]) => ({ at: ` at ${quote(id)}`, text })));
}

function readDigests(list: readonly unknown[]): TrustedDocuments {
  const digests: Buffer[] = [];
  for (const [index, digest] of list.entries()) {
    if (typeof digest !== 'string' || !DIGEST.test(digest)) {
      return refuse(`has no SHA-256 (64 hexadecimal digits) at [${index}]: a list is one of digests`);
    }
    digests.push(Buffer.from(digest, 'hex'));
  }
  return toList(digests);
}

function readManifest({ format, version, operations }: Readonly<Record<string, unknown>>): TrustedDocuments {
  if (format !== APOLLO_FORMAT || version !== APOLLO_VERSION || !Array.isArray(operations)) {
    return refuse(`is no manifest: it needs the format "${APOLLO_FORMAT}", the version 1 and a list "operations"`);
  }
  const bodies = new Map<string, string>();
  const texts: ListedText[] = [];
  for (const [index, operation] of (operations as readonly unknown[]).entries()) {
    const at = ` at operations[${index}]`;
    if (!isRecord(operation)) return refuse(`has no operation${at}`);
    const { id, body, clientName = null } = operation;
    if (typeof id !== 'string' || id === '') return refuse(`has no id${at}`);
    if (typeof body !== 'string') return refuse(`has no body${at}`);
    // Each client numbers its own documents.
    const name = JSON.stringify([clientName, id]);
    if ((bodies.get(name) ?? body) !== body) return refuse(`has the id of another text before${at}`);
    bodies.set(name, body);
    texts.push({ at, text: body });
  }
  return readTexts(texts);
}

interface ListedText {
  /** Its place, preceded by a space. */
  readonly at: string;
  readonly text: unknown;
}

function readTexts(listed: readonly ListedText[]): TrustedDocuments {
  const digests: Buffer[] = [];
  for (const { at, text } of listed) {
    if (typeof text !== 'string') return refuse(`has no text${at}`);
    if (text.trim() === '') return refuse(`has an empty text${at}: it is no document`);
    // Encoding it would change the text, and no request contains it.
    if (!text.isWellFormed()) return refuse(`has half a character${at}`);
    digests.push(hash('sha256', text, 'buffer'));
  }
  return toList(digests);
}

function toList(digests: Buffer[]): TrustedDocuments {
  if (digests.length === 0) return refuse('lists no document: nothing would be let through');
  if (digests.length > DOCUMENTS_MAX) return refuse(`lists more than ${DOCUMENTS_MAX} documents`);
  const sorted = digests
    .sort(Buffer.compare)
    .filter((digest, n) => n === 0 || !digest.equals(digests[n - 1] ?? digest));
  const bytes = Buffer.concat(sorted);
  return { ok: true, list: new DocumentList(hash('sha256', bytes, 'hex'), bytes) };
}

function refuse(what: string): TrustedDocuments {
  return { ok: false, what };
}

function quote(id: string): string {
  return JSON.stringify(id.length > SHOWN_ID_CHARS ? `${id.slice(0, SHOWN_ID_CHARS)}…` : id);
}
