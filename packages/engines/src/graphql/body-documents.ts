import type { Budget } from '../budget.ts';
import type { BlockVerdict } from '../engine.ts';
import type { AsciiMeaning } from './charsets.ts';
import type { BodyForm, BodyReading } from './content-types.ts';
import { type DocumentJudge, isDocument, SOURCE } from './document-judge.ts';
import { type DecodedBody, decodeBody } from './encodings.ts';
import { IntList } from './growable.ts';
import { FOUND, FOUND_SIZE, JsonScanner } from './json/json-scanner.ts';
import { FIRST_SPELLING, OTHER_SPELLINGS } from './json/json-spelling.ts';
import { type EscapedRange, type EscapeStyle, unescapeJsonText } from './json/json-text.ts';
import { decodeQueryText, findQueryTexts, mayNameQuery, type PairsKind, readForm } from './url-queries.ts';
import { BATCH, PARSE_ERROR } from './verdicts.ts';

/** Engines are synchronous, so all of a thread share it. */
const SCANNER = new JsonScanner();

const DOCUMENTS_PER_CHECK = 128;

export interface BodyInspection {
  readonly judge: DocumentJudge;
  /** Documents of one batch; 0 for any number. */
  readonly maxBatch: number;
  readonly budget: Budget;
}

/** Judges every document that some server would find in a body that is read in these forms. */
export function inspectBody(body: Buffer, reading: BodyReading, inspection: BodyInspection): BlockVerdict | undefined {
  if (body.length === 0) return undefined;
  const decoded = decodeBody(body, reading.charsets);
  if (!decoded.isReadable) return PARSE_ERROR;
  try {
    for (const form of reading.forms) {
      const verdict =
        form === 'form'
          ? inspectPairs(readForm(body), { kind: 'form', ascii: reading.ascii }, inspection)
          : inspectForm(form, decoded, inspection);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  } finally {
    SCANNER.found.clear();
    AGREED.clear();
  }
}

function inspectForm(
  form: Exclude<BodyForm, 'form'>,
  decoded: DecodedBody,
  inspection: BodyInspection,
): BlockVerdict | undefined {
  switch (form) {
    case 'json':
      return inspectJson(decoded, inspection);
    case 'document':
      return inspectDocument(decoded, inspection);
    case 'some document': {
      const verdict = inspectDocument({ texts: decoded.texts.map(withoutName) }, inspection);
      return verdict === PARSE_ERROR ? undefined : verdict;
    }
  }
}

const NAME = Buffer.from('query=');

/** To gqlgen a document is what follows its name, also in a form, as it stands: escapes are none. */
export function withoutName(text: Buffer): Buffer {
  return text.subarray(0, NAME.length).equals(NAME) ? text.subarray(NAME.length) : text;
}

/** What may be a character of two bytes in a charset that has such. */
const BEYOND_ASCII = /%[89a-f]|[^\0-\x7f]/i;

/** Judges the documents in the query of a URL or in a form. */
export function inspectPairs(
  pairs: string,
  { kind, ascii }: { readonly kind: PairsKind; readonly ascii: AsciiMeaning },
  inspection: BodyInspection,
): BlockVerdict | undefined {
  if (ascii === 'unknown') return kind === 'form' || mayNameQuery(pairs) ? PARSE_ERROR : undefined;
  const { judge, maxBatch, budget } = inspection;
  const { times, lists, doubtful } = findQueryTexts(pairs, kind, budget);
  for (const list of lists) if (maxBatch > 0 && list.length > maxBatch && isListOver(list, inspection)) return BATCH;
  for (const [text, count] of times) {
    for (let time = 0; time < count; time++) {
      budget.check();
      if (ascii === 'alone' && !doubtful.has(text) && BEYOND_ASCII.test(text)) return PARSE_ERROR;
      const isAmbiguous = decodeQueryText(text, 'plain', SOURCE);
      let verdict = judgeBytes(inspection);
      if (verdict === undefined && isAmbiguous) {
        decodeQueryText(text, 'wide', SOURCE);
        verdict = judge.judge(budget);
      }
      if (verdict === PARSE_ERROR && doubtful.has(text)) continue;
      if (verdict !== undefined) return verdict;
    }
  }
  return undefined;
}

/** Judges what is in `SOURCE`, and what graphql-php makes of bytes that are no UTF-8. No JSON that PHP reads holds such. */
function judgeBytes({ judge, budget }: BodyInspection): BlockVerdict | undefined {
  const verdict = judge.judge(budget);
  if ((verdict !== undefined && verdict !== PARSE_ERROR) || !SOURCE.joinCharacters()) return verdict;
  const joined = judge.judge(budget);
  return joined === undefined || joined === PARSE_ERROR ? verdict : joined;
}

/** True when a list has more items with a query than it may. */
function isListOver(list: readonly string[], { maxBatch, budget }: BodyInspection): boolean {
  let count = 0;
  for (const item of list) {
    budget.check();
    decodeQueryText(item, 'plain', SOURCE);
    if (!SOURCE.isBlank() && ++count > maxBatch) return true;
  }
  return false;
}

/** Whoever decodes the body otherwise than as a document executes nothing: it is an error when nobody sees one. */
function inspectDocument({ texts }: Pick<DecodedBody, 'texts'>, inspection: BodyInspection): BlockVerdict | undefined {
  let isRead = false;
  for (const text of texts) {
    SOURCE.setBytes(text);
    const verdict = judgeBytes(inspection);
    if (verdict === PARSE_ERROR) continue;
    if (verdict !== undefined) return verdict;
    isRead = true;
  }
  return isRead ? undefined : PARSE_ERROR;
}

function inspectJson({ texts }: DecodedBody, inspection: BodyInspection): BlockVerdict | undefined {
  for (const text of texts) {
    const { budget } = inspection;
    SCANNER.scan(text, FIRST_SPELLING, budget);
    let { found } = SCANNER;
    if (SCANNER.hasCalls || SCANNER.hasLineEnds) {
      if (!findInAnySpelling(text, budget)) return PARSE_ERROR;
      found = AGREED;
    }
    const verdict = judgeFound(text, found, inspection);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/**
 * Every query that some parser of JSON would find, each with its place in a batch, in bytes as in the body. Undefined where
 * two parsers find different ones.
 */
export function findJsonQueries(text: Buffer, budget: Budget): readonly string[] | undefined {
  SCANNER.scan(text, FIRST_SPELLING, budget);
  let { found } = SCANNER;
  if (SCANNER.hasCalls || SCANNER.hasLineEnds) {
    if (!findInAnySpelling(text, budget)) return undefined;
    found = AGREED;
  }
  const { values } = found;
  const queries: string[] = [];
  for (let at = 0; at < found.length; at += FOUND_SIZE) {
    if (values[at + FOUND.isPlaced] === 1) {
      loadFound(text, values, at);
      if (!isDocument(budget)) continue;
    }
    const query = text.toString('latin1', values[at + FOUND.start], values[at + FOUND.end]);
    queries.push(`${values[at + FOUND.batch]} ${values[at + FOUND.item]} ${query}`);
  }
  return queries;
}

/** What the spellings of a body that has several find. */
const AGREED = new IntList(16 * FOUND_SIZE);

/** Fills `AGREED`. False when two spellings find different queries: nobody can say which of them would be executed. */
function findInAnySpelling(text: Buffer, budget: Budget): boolean {
  AGREED.copyFrom(SCANNER.found);
  let { hasCalls, hasLineEnds } = SCANNER;
  for (const spelling of OTHER_SPELLINGS) {
    if (!hasCalls && !spelling.hasCalls) continue;
    if (!hasLineEnds && spelling.commentEnd !== FIRST_SPELLING.commentEnd) continue;
    SCANNER.scan(text, spelling, budget);
    hasCalls ||= SCANNER.hasCalls;
    hasLineEnds ||= SCANNER.hasLineEnds;
    const { found } = SCANNER;
    if (found.length === 0 || found.equals(AGREED)) continue;
    if (AGREED.length > 0) return false;
    AGREED.copyFrom(found);
  }
  return true;
}

function judgeFound(
  text: Buffer,
  found: IntList,
  { judge, maxBatch, budget }: BodyInspection,
): BlockVerdict | undefined {
  if (maxBatch > 0 && found.length / FOUND_SIZE > maxBatch && isBatchOver(text, found, { maxBatch, budget }))
    return BATCH;
  const { values } = found;
  for (let at = 0; at < found.length; at += FOUND_SIZE) {
    // Documents may be too small for their own walks to ask.
    if (at % (FOUND_SIZE * DOCUMENTS_PER_CHECK) === 0) budget.check();
    const isAmbiguous = loadFound(text, values, at);
    let verdict = judge.judge(budget);
    const isPlaced = values[at + FOUND.isPlaced] === 1;
    if (isPlaced && verdict === PARSE_ERROR) verdict = undefined;
    if (verdict === undefined && isAmbiguous) {
      unescapeJsonText(text, rangeOf(values, at, 'bare'), SOURCE);
      verdict = judge.judge(budget);
      if (isPlaced && verdict === PARSE_ERROR) continue;
    }
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** True when some batch has more items with a query than it may. */
function isBatchOver(
  text: Buffer,
  { length, values }: IntList,
  { maxBatch, budget }: Pick<BodyInspection, 'maxBatch' | 'budget'>,
): boolean {
  // Items of a list, and values of an object that is a list to PHP, have batch numbers of their own, even and odd.
  const batches = [0, 0];
  const items = [0, 0];
  const counts = [0, 0];
  for (let at = 0; at < length; at += FOUND_SIZE) {
    const batch = values[at + FOUND.batch] as number;
    const item = values[at + FOUND.item] as number;
    const parity = batch & 1;
    if (batches[parity] !== batch) {
      batches[parity] = batch;
      items[parity] = -1;
      counts[parity] = 0;
    }
    if (items[parity] === item) continue;
    loadFound(text, values, at);
    if (at % (FOUND_SIZE * DOCUMENTS_PER_CHECK) === 0) budget.check();
    if (SOURCE.isBlank() || (values[at + FOUND.isPlaced] === 1 && !isDocument(budget))) continue;
    items[parity] = item;
    const count = (counts[parity] ?? 0) + 1;
    if (count > maxBatch) return true;
    counts[parity] = count;
  }
  return false;
}

/** Puts a string that was found into `SOURCE`. True when it has escapes that parsers read differently. */
function loadFound(text: Buffer, values: Int32Array, at: number): boolean {
  if (values[at + FOUND.isEncoded] === 1) {
    return unescapeJsonText(text, rangeOf(values, at, 'named'), SOURCE);
  }
  SOURCE.setPlainBytes(text, values[at + FOUND.start] as number, values[at + FOUND.end] as number);
  return false;
}

function rangeOf(values: Int32Array, at: number, style: EscapeStyle): EscapedRange {
  return { start: values[at + FOUND.start] as number, end: values[at + FOUND.end] as number, style };
}
