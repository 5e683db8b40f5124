import { expect, it } from 'vitest';
import { answerTransactions, splitLines } from './transactions.ts';

async function* toChunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function talk(...lines: readonly string[]) {
  const delivered: (readonly string[])[] = [];
  const answers: string[] = [];
  const deliver = async (documents: readonly string[]) => {
    delivered.push(documents);
    return documents.includes('{"bad":1}') ? 'refused' : undefined;
  };
  for await (const one of answerTransactions(splitLines(toChunks(...lines)), deliver)) answers.push(one);
  return { delivered, answers };
}

it('the writer confirms a transaction after its documents are delivered', async () => {
  const { delivered, answers } = await talk('BEGIN TRANSACTION\n{"a":1}\n', '{"b":', '2}\nCOMMIT TRANSACTION\n');
  expect(delivered).toEqual([['{"a":1}', '{"b":2}']]);
  expect(answers).toEqual(['OK', 'OK', 'DEFER_COMMIT', 'DEFER_COMMIT', 'OK']);
});

it('the writer confirms nothing that is not delivered, and forgets it: rsyslog repeats the transaction', async () => {
  const { delivered, answers } = await talk(
    'BEGIN TRANSACTION\n{"bad":1}\nCOMMIT TRANSACTION\nBEGIN TRANSACTION\n{"a":1}\nCOMMIT TRANSACTION\n',
  );
  expect(delivered).toEqual([['{"bad":1}'], ['{"a":1}']]);
  expect(answers.at(3)).toBe('not delivered');
});

it('the writer takes only line feeds as ends of lines, and keeps a character that arrives in two parts', async () => {
  const bytes = Buffer.from('{"m":"a\u2028COMMIT TRANSACTION\u2028\r\u0085ä"}\n');
  const lines: string[] = [];
  async function* inParts() {
    for (const byte of bytes) yield Buffer.of(byte);
  }
  for await (const line of splitLines(inParts())) lines.push(line);
  expect(lines).toEqual([bytes.toString().slice(0, -1)]);
});

it('the writer ignores a line that was cut by the end of the input', async () => {
  expect(await talk('BEGIN TRANSACTION\n{"a":')).toEqual({ delivered: [], answers: ['OK', 'OK'] });
});
