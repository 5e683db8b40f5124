import type { Budget } from '../../budget.ts';
import type { BlockVerdict } from '../../engine.ts';
import type { BodyInspection } from '../body-inspection.ts';
import { readAscii } from '../charsets.ts';
import type { BodyReading } from '../content-types.ts';
import { isCutShort, isDocument, SOURCE } from '../document-judge.ts';
import { decodeBody } from '../encodings.ts';
import { endOfJson, findJsonQueries, inspectJson } from '../json-documents.ts';
import { inspectPairs } from '../pair-documents.ts';
import { isQueryName } from '../pair-names.ts';
import { toPairValue } from '../url-queries.ts';
import { OVER_BOUND, PARSE_ERROR } from '../verdicts.ts';
import { delimiterOf } from './boundary.ts';
import { findParts, type Part } from './parts.ts';

/** Contents that lie within each other are read each by itself, up to so many bytes for each byte of the body. */
const READ_FACTOR = 16;
const READ_MIN_BYTES = 65_536;

const OPERATIONS = /^operations$/i;
const MAP = /^map$/i;
/** By HTML, the charset of the other parts. Jetty goes by it. */
const CHARSET = /^_charset_$/i;
/** Names that the reader of forms may take for a query, or for a sign that there is a list of them. */
const PAIR = /query|^\s*0/i;

/**
 * A path of a `map` by which a server puts the text of another part in the place of a query (Yoga); each of many items may get it.
 * A backslash may spell it.
 */
const MAPPED_QUERY = /["'](?:\d+\.)?query["']|\\/i;

/** What may be JSON, as far as its first sign tells. */
const JSON_START = /^[\s\ufeff]*[[{)#/]/;

/**
 * Judges every document that some server would find in a body of parts. The content of each part is read as JSON (`operations` of
 * the GraphQL multipart request convention) and as a document (a server may be told by `map` to take any part for one), whatever
 * its name; names count for lists, as in a form. What is neither is a file.
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
  for (const part of findParts(body, delimiterOf(body, boundary))) {
    inspection.budget.check();
    if (part.isOdd || part.names.some((name) => isRepeated(name, seen))) return PARSE_ERROR;
    const verdict = inspectPart(body, part, inspection);
    if (verdict !== undefined) return verdict;
    const content = body.subarray(part.start, part.end);
    for (const name of part.names) if (PAIR.test(name)) pairs.push(`${toKey(name)}=${toPairValue(content)}`);
    left -= endOfJson() + part.end - part.start;
    if (left < 0) return OVER_BOUND;
  }
  return inspectPairs(pairs.join('&'), { kind: 'form', ascii }, inspection);
}

/** Of a second value servers take the first, the last, or both joined by a comma (ASP.NET): no client sends one. */
function isRepeated(name: string, seen: Set<string>): boolean {
  const meaning = OPERATIONS.test(name) ? 'operations' : isQueryName(toKey(name)) ? 'query' : undefined;
  if (meaning === undefined) return false;
  if (seen.has(meaning)) return true;
  seen.add(meaning);
  return false;
}

/** The name in a pair of a form. */
function toKey(name: string): string {
  return name.replaceAll(/[^\w.[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function inspectPart(body: Buffer, part: Part, inspection: BodyInspection): BlockVerdict | undefined {
  const content = body.subarray(part.start, part.end);
  const [, decoded] = decodeBody(content, []).texts;
  const isCalled = (pattern: RegExp) => part.names.some((name) => pattern.test(name));
  if (isCalled(MAP) && (!part.isLineEnd || MAPPED_QUERY.test(content.toString('latin1')))) return PARSE_ERROR;
  if (isCalled(CHARSET) && readAscii([content.toString('latin1').trim().toLowerCase()]) !== 'always')
    return PARSE_ERROR;
  const meaning = isCalled(OPERATIONS) ? 'a query is a document' : 'a query may be anything';
  // A value ends by itself, wherever the part does.
  const rest = body.subarray(part.start);
  const texts = decoded !== undefined && JSON_START.test(decoded.toString()) ? decodeBody(rest, []).texts : [rest];
  return (
    inspectJson(texts, meaning, inspection) ??
    inspectText(content, part.isLineEnd, inspection) ??
    (decoded === undefined ? undefined : inspectText(decoded, false, inspection))
  );
}

/** Judges a text that is a document, or may be one to whoever sees its part end elsewhere. */
function inspectText(text: Buffer, isLineEnd: boolean, { judge, budget }: BodyInspection): BlockVerdict | undefined {
  SOURCE.setBytes(text);
  if (SOURCE.isBlank()) return undefined;
  do {
    const verdict = judge.judge(budget);
    if (verdict !== undefined && verdict !== PARSE_ERROR) return verdict;
    if (isCutShort(isLineEnd)) return PARSE_ERROR;
  } while (SOURCE.joinCharacters());
  return undefined;
}

/**
 * Every text that some server would find and execute in a body of which nobody says how its parts are bounded; undefined where
 * nobody can tell.
 */
export function findMultipartQueries(body: Buffer, budget: Budget): ReadonlySet<string> | undefined {
  const queries = new Set<string>();
  let left = READ_FACTOR * Math.max(body.length, READ_MIN_BYTES);
  for (const { start, end } of findParts(body, delimiterOf(body, ''))) {
    budget.check();
    const found = findJsonQueries(body.subarray(start), budget);
    if (found === undefined) return undefined;
    for (const query of found) queries.add(query);
    const content = body.subarray(start, end);
    SOURCE.setBytes(content);
    if (isDocument(budget)) queries.add(content.toString('latin1'));
    left -= endOfJson() + content.length;
    if (left < 0) return undefined;
  }
  return queries;
}
