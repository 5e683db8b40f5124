import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unpackPolicies } from '@flotilla/decision';
import { loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BundleLoader, type OpenedBundle } from './load-bundle.ts';

let folder: string;
let loader: BundleLoader | undefined;
let failures: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-load-'));
  failures = [];
});

afterEach(async () => {
  loader?.close();
  await rm(folder, { recursive: true, force: true });
});

function bundle(name: string, domains = 1000): PolicyFile[] {
  const list = Array.from({ length: domains }, (_, n) => ({
    hosts: [`d${n}.example.com`],
    policy: { engines: { rate_limit: { requests_per_second: n + 1 } } },
  }));
  const document = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name },
    spec: { domains: list },
  };
  return [{ path: 'p.json', content: JSON.stringify(document) }];
}

function start(entry?: URL): BundleLoader {
  loader = new BundleLoader({ entry, onThreadFailed: (error) => failures.push(error) });
  return loader;
}

async function open(files: readonly PolicyFile[], from: BundleLoader): Promise<OpenedBundle> {
  const { result } = await from.load(files);
  if (!result?.ok) throw new Error(JSON.stringify(result?.error));
  return result.value;
}

async function readAll({ head, pieces }: OpenedBundle) {
  const read: Uint8Array[] = [];
  for await (const piece of pieces()) read.push(piece);
  return { count: read.length, loaded: unpackPolicies(head, read) };
}

const expected = (files: readonly PolicyFile[]) => {
  const loaded = loadPolicyFiles(files);
  if (!loaded.ok) throw new Error('not a good bundle');
  return loaded.value;
};

/** A thread that answers the first questions like the real one, and then ends. */
async function entryThatFails(afterQuestions: number): Promise<URL> {
  const real = new URL('./load-worker.ts', import.meta.url);
  const file = join(folder, 'entry.mjs');
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';
let left = ${afterQuestions};
parentPort.on('message', () => { if (left-- === 0) throw new Error('broken'); });
${afterQuestions === 0 ? '' : `await import(${JSON.stringify(real.href)});`}
`,
  );
  return pathToFileURL(file);
}

/** A thread that writes a file after this many answers. */
async function entryThatWrites(afterQuestions: number, marker: string): Promise<URL> {
  const real = new URL('./load-worker.ts', import.meta.url);
  const file = join(folder, 'entry.mjs');
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';
import { writeFileSync } from 'node:fs';
await import(${JSON.stringify(real.href)});
let left = ${afterQuestions};
parentPort.on('message', () => { left -= 1; if (left === 0) writeFileSync(${JSON.stringify(marker)}, ''); });
`,
  );
  return pathToFileURL(file);
}

describe('BundleLoader', () => {
  it('delivers the result of a load in pieces, whatever the size', async () => {
    for (const files of [bundle('small', 3), bundle('large')]) {
      const { loaded } = await readAll(await open(files, start()));
      expect(loaded).toEqual(expected(files));
    }
    expect(failures).toEqual([]);
  });

  it('skips a bundle with a known digest', async () => {
    for (const files of [bundle('small', 3), bundle('large')]) {
      const from = start();
      const { digest, result } = await from.load(files);
      expect(result?.ok).toBe(true);
      expect(await from.load(files, [digest])).toMatchObject({ digest, result: undefined });
    }
  });

  it('loads another bundle after one that was abandoned halfway', async () => {
    const from = start();
    for (const taken of [0, 1, 2]) {
      const given = await open(bundle('given-up'), from);
      let read = 0;
      if (taken > 0) {
        for await (const _ of given.pieces()) {
          read += 1;
          if (read === taken) break;
        }
      }
      const files = bundle(`after-${taken}`);
      expect((await readAll(await open(files, from))).loaded).toEqual(expected(files));
    }
    expect(failures).toEqual([]);
  });

  it.each([0, 1, 3])(
    'reads a bundle in this thread, and reports it, if its thread fails after %i answers',
    async (answers) => {
      const files = bundle('p', 4000);
      const { count, loaded } = await readAll(await open(files, start(await entryThatFails(answers))));
      expect(loaded).toEqual(expected(files));
      // More than this many answers contain.
      expect(count).toBeGreaterThan(25);
      expect(failures).toEqual([expect.objectContaining({ message: 'broken' })]);
    },
  );

  it('reads a bundle in this thread if its thread has ended too early', async () => {
    const files = bundle('p');
    const from = start();
    const opened = await open(files, from);
    from.close();
    expect((await readAll(opened)).loaded).toEqual(expected(files));
    expect(failures.length).toBe(1);
  });

  it.each([1, 2])(
    'reads the rest in this thread if its thread ends between two pieces, after answer %i',
    async (answers) => {
      const files = bundle('p', 4000);
      const marker = join(folder, 'marker');
      // The bundle itself is the first answer, and the next pieces are requested ahead.
      const from = start(await entryThatWrites(answers + 2, marker));
      const { head, pieces } = await open(files, from);
      const read: Uint8Array[] = [];
      for await (const piece of pieces()) {
        // The last piece of an answer; the next answer has also arrived.
        if (read.push(piece) === answers * 8) {
          await vi.waitFor(() => stat(marker));
          from.close();
        }
      }
      expect(unpackPolicies(head, read)).toEqual(expected(files));
      expect(failures.length).toBe(1);
    },
  );

  it('reads a bundle in this thread, and reports it, if its thread cannot be started', async () => {
    const files = bundle('p');
    const from = start(pathToFileURL(join(folder, 'missing.mjs')));
    for (const times of [1, 2]) {
      expect((await readAll(await open(files, from))).loaded).toEqual(expected(files));
      expect(failures.length).toBe(times);
    }
  });
});
