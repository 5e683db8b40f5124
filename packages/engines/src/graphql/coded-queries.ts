import type { Budget } from '../budget.ts';
import { decodeBody } from '../content/encodings.ts';
import { withoutName } from './body-documents.ts';
import { isDocument, releaseRoom, SOURCE } from './document-judge.ts';
import { findJsonQueries } from './json-documents.ts';
import { findMultipartQueries } from './multipart/multipart-documents.ts';
import { decodeQueryText, findQueryTexts, readForm } from './url-queries.ts';

/**
 * True if bytes with content codings contain, undecoded, a query that their decoded content does not contain. Many
 * servers ignore codings, and a text can be crafted that is also a coded body: JSON can be a complete stream of raw
 * deflate, and the gzip header and skippable zstd frames can contain a form. No encoder produces either, but encoders
 * store incompressible bytes unchanged, so a query of the content may occur in both. Throws `BudgetExceeded`.
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
  const { times, lists } = findQueryTexts(readForm(text), 'form', budget);
  const documents = [...times].filter(([value]) => isValueDocument(value, budget));
  if (documents.length === 0) return false;
  const known = findQueryTexts(readForm(content), 'form', budget);
  return (
    documents.some(([value, count]) => count > (known.times.get(value) ?? 0)) ||
    lists.some(({ length }) => !known.lists.some((list) => list.length >= length))
  );
}

/** Does not check the boundary: coded bytes do not contain these texts by chance. */
function holdsOtherParts(text: Buffer, content: Buffer, budget: Budget): boolean {
  const queries = findMultipartQueries(text, budget);
  if (queries?.size === 0) return false;
  const known = queries && findMultipartQueries(content, budget);
  return queries === undefined || known === undefined || [...queries].some((query) => !known.has(query));
}

/** In `value`, a character is a byte. */
function isValueDocument(value: string, budget: Budget): boolean {
  budget.check();
  const escaped = readForm(Buffer.from(value, 'latin1'));
  const isAmbiguous = decodeQueryText(escaped, 'plain', SOURCE);
  if (isAnyDocument(budget)) return true;
  if (isAmbiguous) decodeQueryText(escaped, 'wide', SOURCE);
  return isAmbiguous && isDocument(budget);
}

/** Whether the content of `SOURCE` is a document, also as graphql-php reads it. */
function isAnyDocument(budget: Budget): boolean {
  return isDocument(budget) || (SOURCE.joinCharacters() && isDocument(budget));
}
