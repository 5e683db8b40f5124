const BEGIN = 'BEGIN TRANSACTION';
const COMMIT = 'COMMIT TRANSACTION';

/**
 * The side of a program in the protocol of rsyslog's omprog with transactions. Each line gets one answer. A document starts with
 * a brace, so no document is taken for a mark.
 *
 * *Idle*: until a transaction begins. *Open*: documents are kept. At its commit, they are delivered; an answer other than OK
 * makes rsyslog repeat the transaction later, with all of its documents.
 */
export async function* answerTransactions(
  lines: AsyncIterable<string>,
  /** Returns why the documents were not delivered. */
  deliver: (documents: readonly string[]) => Promise<string | undefined>,
): AsyncGenerator<string> {
  // rsyslog waits until the program is ready.
  yield 'OK';
  let documents: string[] = [];
  for await (const line of lines) {
    if (line === BEGIN) {
      documents = [];
      yield 'OK';
    } else if (line === COMMIT) {
      const failure = await deliver(documents);
      documents = [];
      yield failure === undefined ? 'OK' : 'not delivered';
    } else {
      documents.push(line);
      yield 'DEFER_COMMIT';
    }
  }
}

/** Splits at line feeds only: other characters that end lines may be part of a document. The rest without a line feed is no line. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
      parts = [];
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
}
