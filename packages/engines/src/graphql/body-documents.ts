import type { Budget } from '../budget.ts';
import type { BlockVerdict } from '../engine.ts';
import type { BodyReading } from './content-types.ts';
import { type DocumentJudge, SOURCE } from './document-judge.ts';
import { type DecodedBody, decodeBody } from './encodings.ts';
import { FOUND, FOUND_SIZE, JsonScanner } from './json/json-scanner.ts';
import { FIRST_SPELLING, type JsonSpelling, OTHER_SPELLINGS } from './json/json-spelling.ts';
import { unescapeJsonText } from './json/json-text.ts';
import { findQueryTexts } from './url-queries.ts';
import { BATCH, PARSE_ERROR } from './verdicts.ts';

/** Engines are synchronous, so all of a thread share it. */
const SCANNER = new JsonScanner();

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
  for (const form of reading.forms) {
    const verdict = inspectForm(form, decoded, inspection);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function inspectForm(
  form: BodyReading['forms'][number],
  decoded: DecodedBody,
  inspection: BodyInspection,
): BlockVerdict | undefined {
  switch (form) {
    case 'json':
      return inspectJson(decoded, inspection);
    case 'document':
      return inspectDocument(decoded, inspection);
    case 'form':
      return inspectTexts(findQueryTexts((decoded.texts[0] ?? EMPTY).toString('utf8')), inspection);
  }
}

const EMPTY = Buffer.alloc(0);

/** Judges documents that are alternatives or parts of each other. */
export function inspectTexts(
  texts: Iterable<string>,
  { judge, budget }: Pick<BodyInspection, 'judge' | 'budget'>,
): BlockVerdict | undefined {
  for (const text of texts) {
    SOURCE.setText(text);
    const verdict = judge.judge(budget);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Whoever decodes the body otherwise than as a document executes nothing: it is an error when nobody sees one. */
function inspectDocument({ texts }: DecodedBody, { judge, budget }: BodyInspection): BlockVerdict | undefined {
  let isDocument = false;
  for (const text of texts) {
    SOURCE.setBytes(text);
    const verdict = judge.judge(budget);
    if (verdict === PARSE_ERROR) continue;
    if (verdict !== undefined) return verdict;
    isDocument = true;
  }
  return isDocument ? undefined : PARSE_ERROR;
}

function inspectJson({ texts, isComplete }: DecodedBody, inspection: BodyInspection): BlockVerdict | undefined {
  let isJson = false;
  for (const text of texts) {
    let verdict = inspectJsonText(text, FIRST_SPELLING, inspection);
    isJson ||= SCANNER.hasValue;
    if (verdict !== undefined) return verdict;
    if (!SCANNER.isAmbiguous) continue;
    for (const spelling of OTHER_SPELLINGS) {
      verdict = inspectJsonText(text, spelling, inspection);
      isJson ||= SCANNER.hasValue;
      if (verdict !== undefined) return verdict;
    }
  }
  // What is no JSON to anybody passes. Here somebody may know the charset, and nobody can say what is in it.
  return isJson || isComplete ? undefined : PARSE_ERROR;
}

function inspectJsonText(
  text: Buffer,
  spelling: JsonSpelling,
  { judge, maxBatch, budget }: BodyInspection,
): BlockVerdict | undefined {
  SCANNER.scan(text, spelling, budget);
  const { found } = SCANNER;
  if (maxBatch > 0 && found.length / FOUND_SIZE > maxBatch && isBatchOver(text, maxBatch, budget)) return BATCH;
  for (let at = 0; at < found.length; at += FOUND_SIZE) {
    const isAmbiguous = loadFound(text, at);
    let verdict = judge.judge(budget);
    if (verdict === undefined && isAmbiguous) {
      unescapeJsonText(text, { start: startOf(at), end: endOf(at), style: 'bare' }, SOURCE);
      verdict = judge.judge(budget);
    }
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** True when some batch has more items with a query than it may. */
function isBatchOver(text: Buffer, maxBatch: number, budget: Budget): boolean {
  const { length, values } = SCANNER.found;
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
    loadFound(text, at);
    if ((at & 0x3ff) === 0) budget.check();
    if (SOURCE.isBlank()) continue;
    items[parity] = item;
    const count = (counts[parity] ?? 0) + 1;
    if (count > maxBatch) return true;
    counts[parity] = count;
  }
  return false;
}

/** Puts a string that was found into `SOURCE`. True when it has escapes that parsers read differently. */
function loadFound(text: Buffer, at: number): boolean {
  const { values } = SCANNER.found;
  if (values[at + FOUND.hasEscapes] === 1 || values[at + FOUND.hasOddByte] === 1) {
    return unescapeJsonText(text, { start: startOf(at), end: endOf(at), style: 'named' }, SOURCE);
  }
  SOURCE.setPlainBytes(text, startOf(at), endOf(at));
  return false;
}

function startOf(at: number): number {
  return SCANNER.found.values[at + FOUND.start] as number;
}

function endOf(at: number): number {
  return SCANNER.found.values[at + FOUND.end] as number;
}
