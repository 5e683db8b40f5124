import type { Budget } from '../budget.ts';
import type { BlockVerdict } from '../engine.ts';
import type { BodyInspection } from './body-inspection.ts';
import { isDocument, SOURCE } from './document-judge.ts';
import { IntList } from './growable.ts';
import { FOUND, FOUND_SIZE, JsonScanner } from './json/json-scanner.ts';
import { FIRST_SPELLING, type JsonSpelling, OTHER_SPELLINGS } from './json/json-spelling.ts';
import { type EscapedRange, type EscapeStyle, unescapeJsonText } from './json/json-text.ts';
import { BATCH, PARSE_ERROR } from './verdicts.ts';

/** Shared by all engines of a thread, because engines are synchronous. */
const SCANNER = new JsonScanner();
/** Bytes that the scanner has walked since the last call of `bytesOfJson`. */
let walkedBytes = 0;

const DOCUMENTS_PER_CHECK = 128;

/** Whether a query that is not a document is an error or is ignored, because it may have another meaning. */
export type QueryMeaning = 'a query is a document' | 'a query may be anything';

/** Judges every query that some JSON parser would find in any of the texts. */
export function inspectJson(
  texts: readonly Buffer[],
  meaning: QueryMeaning,
  inspection: BodyInspection,
): BlockVerdict | undefined {
  for (const text of texts) {
    const found = findInAnySpelling(text, inspection.budget);
    if (found === undefined) return PARSE_ERROR;
    const verdict = judgeFound(text, { found, meaning }, inspection);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/**
 * Every query that some JSON parser would find, with its position in a batch, in undecoded bytes. Undefined if two
 * parsers find different ones.
 */
export function findJsonQueries(text: Buffer, budget: Budget): readonly string[] | undefined {
  const found = findInAnySpelling(text, budget);
  if (found === undefined) return undefined;
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

/** Bytes that were scanned as JSON since the last call; each spelling counts again. */
export function bytesOfJson(): number {
  const bytes = walkedBytes;
  walkedBytes = 0;
  return bytes;
}

/** Releases memory that a body used beyond the usual amount. */
export function releaseJsonRoom(): void {
  SCANNER.found.clear();
  AGREED.clear();
  walkedBytes = 0;
}

/** The common result of the spellings of a body that has several. */
const AGREED = new IntList(16 * FOUND_SIZE);

/** Undefined if two spellings contain different queries, because nobody knows which would be executed. */
function findInAnySpelling(text: Buffer, budget: Budget): IntList | undefined {
  scan(text, FIRST_SPELLING, budget);
  let { hasCalls, hasLineEnds } = SCANNER;
  if (!hasCalls && !hasLineEnds) return SCANNER.found;
  AGREED.copyFrom(SCANNER.found);
  for (const spelling of OTHER_SPELLINGS) {
    if (!hasCalls && !spelling.hasCalls) continue;
    if (!hasLineEnds && spelling.commentEnd !== FIRST_SPELLING.commentEnd) continue;
    scan(text, spelling, budget);
    hasCalls ||= SCANNER.hasCalls;
    hasLineEnds ||= SCANNER.hasLineEnds;
    const { found } = SCANNER;
    if (found.length === 0 || found.equals(AGREED)) continue;
    if (AGREED.length > 0) return undefined;
    AGREED.copyFrom(found);
  }
  return AGREED;
}

function scan(text: Buffer, spelling: JsonSpelling, budget: Budget): void {
  SCANNER.scan(text, spelling, budget);
  walkedBytes += SCANNER.end;
}

function judgeFound(
  text: Buffer,
  { found, meaning }: { readonly found: IntList; readonly meaning: QueryMeaning },
  { judge, maxBatch, budget }: BodyInspection,
): BlockVerdict | undefined {
  if (maxBatch > 0 && found.length / FOUND_SIZE > maxBatch && isBatchOver(text, found, { maxBatch, budget }))
    return BATCH;
  const { values } = found;
  for (let at = 0; at < found.length; at += FOUND_SIZE) {
    // Small documents may not check the budget themselves.
    if (at % (FOUND_SIZE * DOCUMENTS_PER_CHECK) === 0) budget.check();
    const isAmbiguous = loadFound(text, values, at);
    let verdict = judge.judge(budget);
    const isDoubtful = values[at + FOUND.isPlaced] === 1 || meaning === 'a query may be anything';
    if (isDoubtful && verdict === PARSE_ERROR) verdict = undefined;
    if (verdict === undefined && isAmbiguous) {
      unescapeJsonText(text, rangeOf(values, at, 'bare'), SOURCE);
      verdict = judge.judge(budget);
      if (isDoubtful && verdict === PARSE_ERROR) continue;
    }
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** True if a batch contains too many items with a query. */
function isBatchOver(
  text: Buffer,
  { length, values }: IntList,
  { maxBatch, budget }: Pick<BodyInspection, 'maxBatch' | 'budget'>,
): boolean {
  // Items of a list have even batch numbers, values of an object that is a list to PHP have odd ones.
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

/** Loads a found string into `SOURCE`. True if it has escapes that parsers read differently. */
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
