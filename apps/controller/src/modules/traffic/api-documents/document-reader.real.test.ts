import { afterEach, expect, it } from 'vitest';
import { DocumentReader } from './document-reader.ts';

const readers: DocumentReader[] = [];
const open = (limits: Partial<ConstructorParameters<typeof DocumentReader>[0]> = {}) => {
  const shared = { deadlineMs: 60_000, memoryMb: 1024, jobsMax: 2, jobsPerPartyMax: 1, charsMax: 32 * 1024 * 1024 };
  const reader = new DocumentReader({ ...shared, ...limits });
  readers.push(reader);
  return reader;
};
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});

const SMALL = Buffer.from('{"openapi":"3.0.3","info":{},"paths":{"/a":{"get":{}}}}');
/** Anchors keep it from the parser for plain files. */
const LARGE = Buffer.from(
  `openapi: 3.0.3\ninfo: {}\npaths:\n${Array.from({ length: 60_000 }, (_, i) => `  /p${i}: &a${i}\n    get: {}\n`).join('')}`,
);

it('a file that takes too long is refused, and the next one is read', async () => {
  const reader = open({ deadlineMs: 300 });
  await expect(reader.read('p', LARGE)).rejects.toMatchObject({ code: 'api_document.too_heavy' });
  const calm = open();
  expect((await calm.read('p', SMALL)).head.operationCount).toBe(1);
});

it('a file that takes too much memory is refused, and the next one is read by a new process', async () => {
  const reader = open({ memoryMb: 64 });
  await expect(reader.read('p', LARGE)).rejects.toMatchObject({ code: 'api_document.too_heavy' });
  expect((await reader.read('p', SMALL)).head.operationCount).toBe(1);
});

it('a project with more files than its share is asked to wait', async () => {
  const reader = open();
  const [first, second] = await Promise.allSettled([reader.read('p', SMALL), reader.read('p', SMALL)]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'api_document.busy' } });
});
