import { UNLIMITED } from '../budget.ts';
import { findsJsonQuery } from './body-documents.ts';
import { isDocument, releaseRoom, SOURCE } from './document-judge.ts';
import { decodeBody } from './encodings.ts';
import { decodeQueryText, findQueryTexts } from './url-queries.ts';

/**
 * True when bytes that came with content codings say a query as they stand. Many servers take no notice of codings, and a
 * text can be made that is a coded body too: one of JSON is a whole stream of bare deflate, and the head of gzip and the
 * frames that zstd skips have room for a form. No encoder makes either.
 */
export function holdsBareQuery(bytes: Buffer): boolean {
  try {
    return decodeBody(bytes, []).texts.some((text) => findsJsonQuery(text) || isWholeDocument(text) || isForm(text));
  } finally {
    releaseRoom();
  }
}

function isWholeDocument(text: Buffer): boolean {
  SOURCE.setBytes(text);
  return isDocument(UNLIMITED);
}

function isForm(text: Buffer): boolean {
  for (const value of findQueryTexts(text.toString('latin1'), 'form').times.keys()) {
    decodeQueryText(value, 'plain', SOURCE);
    if (isDocument(UNLIMITED)) return true;
  }
  return false;
}
