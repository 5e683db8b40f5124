import type { AsciiMeaning } from '../content/charsets.ts';
import type { BlockVerdict } from '../engine.ts';
import type { BodyInspection } from './body-inspection.ts';
import { judgeBytes, SOURCE } from './document-judge.ts';
import { decodeQueryText, findQueryTexts, mayNameQuery, type PairsKind } from './url-queries.ts';
import { BATCH, PARSE_ERROR } from './verdicts.ts';

/** A possible part of a two-byte character. */
const BEYOND_ASCII = /%[89a-f]|[^\0-\x7f]/i;

/** Judges the documents in a URL query or a form. */
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

/** True if a list has too many items with a query. */
function isListOver(list: readonly string[], { maxBatch, budget }: BodyInspection): boolean {
  let count = 0;
  for (const item of list) {
    budget.check();
    decodeQueryText(item, 'plain', SOURCE);
    if (!SOURCE.isBlank() && ++count > maxBatch) return true;
  }
  return false;
}
