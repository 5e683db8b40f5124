import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ProgramIo } from '../programs.ts';
import { EXIT } from './exit-codes.ts';
import { saveNewFile } from './new-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-new-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function createIo(signal = new AbortController().signal): ProgramIo {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return { env: {}, stdin: Readable.from([]), stdout: nowhere, stderr: nowhere, signal, command: [] };
}

/** Creates a response whose first bytes are `half`; `next` continues it. */
function createResponse(next: (controller: ReadableStreamDefaultController) => void): Response {
  let begun = false;
  const pull = (controller: ReadableStreamDefaultController) => {
    if (begun) return next(controller);
    begun = true;
    controller.enqueue(Buffer.from('half'));
  };
  return new Response(new ReadableStream({ pull }));
}

it('a response is saved in a file that only its owner can read', async () => {
  const file = join(folder, 'whole');
  await saveNewFile(
    createIo(),
    createResponse((controller) => controller.close()),
    file,
  );
  expect(await readFile(file, 'utf8')).toBe('half');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('an incomplete response leaves no file', async () => {
  const broken = createResponse((controller) => controller.error(new TypeError('terminated')));
  await expect(saveNewFile(createIo(), broken, join(folder, 'half'))).rejects.toMatchObject({
    exitCode: EXIT.unreachable,
    message: expect.stringContaining('before the response was complete'),
  });
  expect(await readdir(folder)).toEqual([]);
});

it('an interrupted download leaves no file', async () => {
  const stopping = new AbortController();
  const endless = createResponse((controller) => {
    controller.enqueue(Buffer.alloc(1024));
    stopping.abort();
  });
  const saving = saveNewFile(createIo(stopping.signal), endless, join(folder, 'half'));
  await expect(saving).rejects.toMatchObject({ exitCode: EXIT.failed, message: 'Interrupted.' });
  expect(await readdir(folder)).toEqual([]);
});

it('an existing file is not overwritten', async () => {
  const file = join(folder, 'kept');
  await writeFile(file, 'mine');
  const saving = saveNewFile(
    createIo(),
    createResponse((controller) => controller.close()),
    file,
  );
  await expect(saving).rejects.toMatchObject({ exitCode: EXIT.usage, message: expect.stringContaining(file) });
  expect(await readFile(file, 'utf8')).toBe('mine');
});
