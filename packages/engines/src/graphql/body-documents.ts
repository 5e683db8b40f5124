import { type DecodedBody, decodeBody } from '../content/encodings.ts';
import type { BlockVerdict } from '../engine.ts';
import type { BodyInspection } from './body-inspection.ts';
import type { BodyForm, BodyReading } from './content-types.ts';
import { judgeBytes, SOURCE } from './document-judge.ts';
import { inspectJson, releaseJsonRoom } from './json-documents.ts';
import { inspectMultipart } from './multipart/multipart-documents.ts';
import { inspectPairs } from './pair-documents.ts';
import { readForm } from './url-queries.ts';
import { PARSE_ERROR } from './verdicts.ts';

/** Judges every document that some server would find in a body that is read in these forms. */
export function inspectBody(body: Buffer, reading: BodyReading, inspection: BodyInspection): BlockVerdict | undefined {
  if (body.length === 0) return undefined;
  const decoded = decodeBody(body, reading.charsets);
  if (!decoded.isReadable) return PARSE_ERROR;
  try {
    for (const form of reading.forms) {
      const verdict = inspectForm(form, { body, decoded, reading }, inspection);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  } finally {
    releaseJsonRoom();
  }
}

interface ReadBody {
  readonly body: Buffer;
  readonly decoded: DecodedBody;
  readonly reading: BodyReading;
}

function inspectForm(
  form: BodyForm,
  { body, decoded, reading }: ReadBody,
  inspection: BodyInspection,
): BlockVerdict | undefined {
  switch (form) {
    case 'json':
      return inspectJson(decoded.texts, 'a query is a document', inspection);
    case 'document':
      return inspectDocument(decoded, inspection);
    case 'some document': {
      const verdict = inspectDocument({ texts: decoded.texts.map(withoutName) }, inspection);
      return verdict === PARSE_ERROR ? undefined : verdict;
    }
    case 'form':
      return inspectPairs(readForm(body), { kind: 'form', ascii: reading.ascii }, inspection);
    case 'multipart':
      return inspectMultipart(body, reading, inspection);
  }
}

const NAME = Buffer.from('query=');

/** For gqlgen, the document is everything after its name, without decoding, even in a form. */
export function withoutName(text: Buffer): Buffer {
  return text.subarray(0, NAME.length).equals(NAME) ? text.subarray(NAME.length) : text;
}

/** Servers that decode the body differently execute nothing, so it is an error only if no decoding yields a document. */
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
