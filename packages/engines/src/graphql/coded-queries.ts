import type { Budget } from '../budget.ts';
import { decodeBody } from '../content/encodings.ts';
import { withoutName } from './body-documents.ts';
import { isDocument, releaseRoom, SOURCE } from './document-judge.ts';
import { findJsonQueries } from './json-documents.ts';
import { findMultipartQueries } from './multipart/multipart-documents.ts';
import { decodeQueryText, findQueryTexts, readForm } from './url-queries.ts';

/**
 * True when bytes that came with content codings say a query as they stand that their content does not say too. Many
 * servers take no notice of codings, and a text can be made that is a coded body too: one of JSON is a whole stream of bare
 * deflate, and the head of gzip and the frames that zstd skips have room for a form. No encoder makes either, but all leave
 * what they cannot make shorter as it is, so that a query of the content may stand in both. Throws `BudgetExceeded`.
 */
export function holdsBareQuery(bytes: Buffer, content: Buffer, budget: Budget): boolean {
  try {
    return decodeBody(bytes, []).texts.some(
      (text) =>
        holdsOtherJson(text, content, budget) ||
        isWholeDocument(text, budget) ||
        holdsOtherForm(text, content, budget) ||
        holdsOtherParts(text, content, budget),
    );
  } finally {
    releaseRoom();
  }
}

function holdsOtherJson(text: Buffer, content: Buffer, budget: Budget): boolean {
  const queries = findJsonQueries(text, budget);
  if (queries === undefined) return true;
  if (queries.length === 0) return false;
  const known = findJsonQueries(content, budget);
  return queries.length !== known?.length || queries.some((query, index) => query !== known[index]);
}

function isWholeDocument(text: Buffer, budget: Budget): boolean {
  SOURCE.setBytes(withoutName(text));
  return isAnyDocument(budget);
}

function holdsOtherForm(text: Buffer, content: Buffer, budget: Budget): boolean {
  const { times, lists } = findQueryTexts(text.toString('latin1'), 'form', budget);
  const documents = [...times].filter(([value]) => isValueDocument(value, budget));
  if (documents.length === 0) return false;
  const known = findQueryTexts(content.toString('latin1'), 'form', budget);
  return (
    documents.some(([value, count]) => count > (known.times.get(value) ?? 0)) ||
    lists.some(({ length }) => !known.lists.some((list) => list.length >= length))
  );
}

/** A boundary is not looked for: bytes that are coded hold none of these by chance. */
function holdsOtherParts(text: Buffer, content: Buffer, budget: Budget): boolean {
  const queries = findMultipartQueries(text, budget);
  if (queries?.size === 0) return false;
  const known = queries && findMultipartQueries(content, budget);
  return queries === undefined || known === undefined || [...queries].some((query) => !known.has(query));
}

/** Each character of `value` is a byte. */
function isValueDocument(value: string, budget: Budget): boolean {
  budget.check();
  const escaped = readForm(Buffer.from(value, 'latin1'));
  const isAmbiguous = decodeQueryText(escaped, 'plain', SOURCE);
  if (isAnyDocument(budget)) return true;
  if (isAmbiguous) decodeQueryText(escaped, 'wide', SOURCE);
  return isAmbiguous && isDocument(budget);
}

/** Whether what is in `SOURCE` is a document, or is one to graphql-php. */
function isAnyDocument(budget: Budget): boolean {
  return isDocument(budget) || (SOURCE.joinCharacters() && isDocument(budget));
}
