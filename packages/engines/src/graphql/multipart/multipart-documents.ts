import type { Budget } from '../../budget.ts';
import { readAscii } from '../../content/charsets.ts';
import { decodeBody } from '../../content/encodings.ts';
import { delimiterOf } from '../../content/multipart/boundary.ts';
import { CONTENTS_MAX, findParts, type Part } from '../../content/multipart/parts.ts';
import type { BlockVerdict } from '../../engine.ts';
import type { BodyInspection } from '../body-inspection.ts';
import type { BodyReading } from '../content-types.ts';
import { isCutShort, isDocument, SOURCE } from '../document-judge.ts';
import { bytesOfJson, findJsonQueries, inspectJson } from '../json-documents.ts';
import { inspectPairs } from '../pair-documents.ts';
import { isQueryName, mayNameDocument } from '../pair-names.ts';
import { toPairValue } from '../url-queries.ts';
import { OVER_BOUND, PARSE_ERROR } from '../verdicts.ts';

/** Overlapping contents are read separately, up to this many bytes per byte of the body. */
const READ_FACTOR = 6;
const READ_MIN_BYTES = 65_536;
/** As a form value, a content is escaped and read several times; its bytes count this many times. */
const PAIR_FACTOR = 3;

const OPERATIONS = /^operations$/i;
const MAP = /^map$/i;
/** In HTML, this field gives the charset of the other parts. Jetty uses it. */
const CHARSET = /^_charset_$/i;
/** Names that indicate a list of queries. */
const ZERO = /^\s*0/;

/**
 * A path in `map` with which a server replaces a query by the text of another part (Yoga); each of many items may get
 * it. A backslash may spell it.
 */
const MAPPED_QUERY = /["'](?:\d+\.)?query["']|\\/i;

/** How a text may begin that some decoder accepts. Excludes most files, which are many and large. */
const TEXT_START = /^[\s\ufeff,]*(?:$|[[{)#/"a-z])/;
const HEAD_BYTES = 64;

/** How a document begins after white space, commas and byte order marks. */
const DOCUMENT_START =
  /^(?:[{"#]|query|mutation|subscription|fragment|extend|schema|scalar|type|interface|union|enum|input|directive)/;
/** The end (undefined) is not in the set. */
const IGNORED: ReadonlySet<number | undefined> = new Set(Buffer.from('\t\n\r ,\ufeff'));
const LONGEST_START = 'subscription'.length;
const EMPTY_OBJECT = /^[ \t\r\n]*\{[ \t\r\n]*\}[ \t\r\n]*$/;

/**
 * Judges every document that some server would find in a multipart body. Each part is read as JSON (`operations` of the
 * GraphQL multipart request specification) and as a document (a `map` may refer to any part), whatever its name; names
 * matter for lists, as in a form. Other content is a file.
 */
export function inspectMultipart(
  body: Buffer,
  { ascii, boundary }: Pick<BodyReading, 'ascii' | 'boundary'>,
  inspection: BodyInspection,
): BlockVerdict | undefined {
  if (ascii !== 'always') return PARSE_ERROR;
  const pairs: string[] = [''];
  const seen = new Set<string>();
  let left = READ_FACTOR * Math.max(body.length, READ_MIN_BYTES);
  let count = 0;
  for (const part of findParts(body, delimiterOf(body, boundary))) {
    inspection.budget.check();
    if (++count > CONTENTS_MAX) return OVER_BOUND;
    if (part.isOdd || part.names.some((name) => isRepeated(name, seen))) return PARSE_ERROR;
    const content = body.subarray(part.start, part.end);
    const decoded = decodeUnicode(content);
    left -= decoded === undefined ? content.length : body.length - part.start;
    if (left < 0) return OVER_BOUND;
    const verdict = inspectPart({ ...part, content, decoded, rest: body.subarray(part.start) }, inspection);
    if (verdict !== undefined) return verdict;
    left -= bytesOfJson();
    for (const key of part.names.map(toKey)) {
      if (mayNameDocument(key)) {
        left -= PAIR_FACTOR * content.length;
        if (left < 0) return OVER_BOUND;
        pairs.push(`${key}=${toPairValue(content)}`);
      } else if (ZERO.test(key)) pairs.push(`${key}=`);
    }
  }
  inspection.judge.isLineEndApart = true;
  const verdict = inspectPairs(pairs.join('&'), { kind: 'form', ascii }, inspection);
  inspection.judge.isLineEndApart = false;
  return verdict;
}

/**
 * For a repeated field, servers use the first value, the last, or both joined by a comma (ASP.NET). No real client
 * repeats one.
 */
function isRepeated(name: string, seen: Set<string>): boolean {
  const meaning = OPERATIONS.test(name) ? 'operations' : isQueryName(toKey(name)) ? 'query' : undefined;
  if (meaning === undefined) return false;
  if (seen.has(meaning)) return true;
  seen.add(meaning);
  return false;
}

/** The name as in a form pair. */
function toKey(name: string): string {
  return name.replaceAll(/[^\w.[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

interface ReadPart extends Part {
  readonly content: Buffer;
  /** The content in UTF-8, if it may be UTF-16 or UTF-32. */
  readonly decoded: Buffer | undefined;
  /** The content and everything after it: a JSON value ends on its own, wherever the part ends. */
  readonly rest: Buffer;
}

function inspectPart(part: ReadPart, inspection: BodyInspection): BlockVerdict | undefined {
  const { content, decoded, rest } = part;
  const isCalled = (pattern: RegExp) => part.names.some((name) => pattern.test(name));
  if (isCalled(MAP) && (!part.isLineEnd || MAPPED_QUERY.test(content.toString('latin1')))) return PARSE_ERROR;
  if (isCalled(CHARSET) && readAscii([content.toString('latin1').trim().toLowerCase()]) !== 'always')
    return PARSE_ERROR;
  const meaning = isCalled(OPERATIONS) ? 'a query is a document' : 'a query may be anything';
  const texts = decoded === undefined ? [rest] : decodeBody(rest, []).texts;
  return (
    inspectJson(texts, meaning, inspection) ??
    inspectText(content, part.isLineEnd, inspection) ??
    (decoded === undefined ? undefined : inspectText(decoded, false, inspection))
  );
}

/** Decodes content whose first bytes look like UTF-16 or UTF-32. */
function decodeUnicode(content: Buffer): Buffer | undefined {
  const [, head] = decodeBody(content.subarray(0, HEAD_BYTES), []).texts;
  return head !== undefined && TEXT_START.test(head.toString()) ? decodeBody(content, []).texts[1] : undefined;
}

/** Cheap, without false negatives. */
function mayBeDocument(text: Buffer): boolean {
  let at = 0;
  while (IGNORED.has(text[at])) at++;
  return DOCUMENT_START.test(text.toString('latin1', at, at + LONGEST_START));
}

/** Content of parts called `map` and `variables` that are empty; as a document it requests nothing. */
function isEmptyObject(text: Buffer): boolean {
  return text.length <= HEAD_BYTES && EMPTY_OBJECT.test(text.toString('latin1'));
}

/** Judges a text that is a document, or may be one to a parser that ends its part elsewhere. */
function inspectText(text: Buffer, isLineEnd: boolean, { judge, budget }: BodyInspection): BlockVerdict | undefined {
  if (!mayBeDocument(text) || (isLineEnd && isEmptyObject(text))) return undefined;
  SOURCE.setBytes(text);
  do {
    judge.isLineEndApart = true;
    const verdict = judge.judge(budget);
    judge.isLineEndApart = false;
    if (verdict !== undefined && verdict !== PARSE_ERROR) return verdict;
    if (isCutShort(isLineEnd)) return PARSE_ERROR;
  } while (SOURCE.joinCharacters());
  return undefined;
}

/**
 * Every text that some server would find and execute in a body with an unknown boundary; undefined if that cannot be
 * determined.
 */
export function findMultipartQueries(body: Buffer, budget: Budget): ReadonlySet<string> | undefined {
  const queries = new Set<string>();
  let left = READ_FACTOR * Math.max(body.length, READ_MIN_BYTES);
  let count = 0;
  for (const { start, end } of findParts(body, delimiterOf(body, ''))) {
    budget.check();
    if (++count > CONTENTS_MAX) return undefined;
    const found = findJsonQueries(body.subarray(start), budget);
    if (found === undefined) return undefined;
    for (const query of found) queries.add(query);
    const content = body.subarray(start, end);
    SOURCE.setBytes(content);
    if (isDocument(budget)) queries.add(content.toString('latin1'));
    left -= bytesOfJson() + content.length;
    if (left < 0) return undefined;
  }
  return queries;
}
