import { UNLIMITED } from '../budget.ts';
import { findJsonQueries, withoutName } from './body-documents.ts';
import { isDocument, releaseRoom, SOURCE } from './document-judge.ts';
import { decodeBody } from './encodings.ts';
import { decodeQueryText, findQueryTexts, readForm } from './url-queries.ts';

/**
 * True when bytes that came with content codings say a query as they stand that their content does not say too. Many
 * servers take no notice of codings, and a text can be made that is a coded body too: one of JSON is a whole stream of bare
 * deflate, and the head of gzip and the frames that zstd skips have room for a form. No encoder makes either, but all leave
 * what they cannot make shorter as it is, so that a query of the content may stand in both.
 */
export function holdsBareQuery(bytes: Buffer, content: Buffer): boolean {
  try {
    return decodeBody(bytes, []).texts.some(
      (text) => holdsOtherJson(text, content) || isWholeDocument(text) || holdsOtherForm(text, content),
    );
  } finally {
    releaseRoom();
  }
}

function holdsOtherJson(text: Buffer, content: Buffer): boolean {
  const queries = findJsonQueries(text);
  if (queries === undefined) return true;
  if (queries.length === 0) return false;
  const known = findJsonQueries(content);
  return queries.length !== known?.length || queries.some((query, index) => query !== known[index]);
}

function isWholeDocument(text: Buffer): boolean {
  SOURCE.setBytes(withoutName(text));
  return isAnyDocument();
}

function holdsOtherForm(text: Buffer, content: Buffer): boolean {
  const { times, lists } = findQueryTexts(text.toString('latin1'), 'form', UNLIMITED);
  const documents = [...times].filter(([value]) => isValueDocument(value));
  if (documents.length === 0) return false;
  const known = findQueryTexts(content.toString('latin1'), 'form', UNLIMITED);
  return (
    documents.some(([value, count]) => count > (known.times.get(value) ?? 0)) ||
    lists.some(({ length }) => !known.lists.some((list) => list.length >= length))
  );
}

/** Each character of `value` is a byte. */
function isValueDocument(value: string): boolean {
  const escaped = readForm(Buffer.from(value, 'latin1'));
  const isAmbiguous = decodeQueryText(escaped, 'plain', SOURCE);
  if (isAnyDocument()) return true;
  if (isAmbiguous) decodeQueryText(escaped, 'wide', SOURCE);
  return isAmbiguous && isDocument(UNLIMITED);
}

/** Whether what is in `SOURCE` is a document, or is one to graphql-php. */
function isAnyDocument(): boolean {
  return isDocument(UNLIMITED) || (SOURCE.joinCharacters() && isDocument(UNLIMITED));
}
