import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RuntimeBuilder, unpackPolicies } from '@flotilla/decision';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBundle } from './bundle-reader.ts';
import type { LoadFailure } from './load-failures.ts';
import { PolicySource } from './policy-source.ts';

const policy = (name: string, spec = '{ domains: [] }') =>
  `apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

const EMPTY = { digest: '', policyNames: [], domainCount: 0 };

let folder: string;
let source: PolicySource | undefined;
let loads: { result: string; failure: LoadFailure | undefined }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-source-'));
  loads = [];
});

afterEach(async () => {
  await source?.close();
  source = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function start(path: string, rescanMs = 60_000): Promise<PolicySource> {
  source = new PolicySource({
    path,
    debounceMs: 20,
    rescanMs,
    onLoad: (result, failure) => loads.push({ result, failure }),
  });
  const started = await source.start({ watch: true });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  return source;
}

const eventually = (check: () => void) => vi.waitFor(check, { interval: 10 });

describe('PolicySource', () => {
  it('does not start from a bad, empty or missing bundle, and reports why', async () => {
    const reasonOf = async (path: string) => {
      const started = await new PolicySource({ path }).start({ watch: true });
      return started.ok ? '' : started.error[0]?.rule;
    };
    expect(await reasonOf(join(folder, 'missing'))).toBe('bundle.unreadable');
    expect(await reasonOf(folder)).toBe('bundle.empty');
    await writeFile(join(folder, 'a.yaml'), 'x: [');
    expect(await reasonOf(folder)).toBe('file.syntax');
    expect(await reasonOf(join(folder, 'a.yaml'))).toBe('file.syntax');
  });

  it('applies a changed file, keeps the last good one while it is bad, and recovers', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, policy('one'));
    const { current } = await start(file);
    expect(current.policyNames).toEqual(['one']);
    await writeFile(file, policy('two'));
    await eventually(() => expect(source?.current.policyNames).toEqual(['two']));
    await writeFile(file, policy('three', '{ domains: 5 }'));
    await eventually(() =>
      expect(source?.failure?.problems[0]).toMatchObject({ file: 'p.yaml', line: 4, field: 'spec.domains' }),
    );
    expect(source?.current.policyNames).toEqual(['two']);
    await writeFile(file, policy('two'));
    await eventually(() => expect(source?.failure).toBeUndefined());
    expect(source?.consecutiveFailures).toBe(0);
  });

  it('ends with the last written content, also if a file is rewritten while it is read', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, policy('p0000'));
    await start(file);
    for (let round = 1; round <= 10; round++) {
      // Equal lengths, and faster than file times can distinguish.
      for (let n = 0; n < 5; n++) await writeFile(file, policy(`p${String(round * 10 + n).padStart(4, '0')}`));
      await eventually(() =>
        expect(source?.current.policyNames).toEqual([`p${String(round * 10 + 4).padStart(4, '0')}`]),
      );
    }
    expect(source?.failure).toBeUndefined();
  });

  it('continues if changes come while one load follows another', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, policy('p0'));
    const waiting: (() => void)[] = [];
    const builds: string[] = [];
    source = new PolicySource({
      path: file,
      debounceMs: 20,
      rescanMs: 60_000,
      apply: async ({ head }, nowMs, previous) => {
        if (builds.push(...head.policyNames) > 1) await new Promise<void>((resolve) => waiting.push(resolve));
        return new RuntimeBuilder(head, { nowMs, ...(previous && { previous }) }).finish();
      },
    });
    await source.start({ watch: true });
    const change = (n: number) => writeFile(file, policy(`p${n}`));
    const build = async (name: string) => {
      await eventually(() => expect(builds.at(-1)).toBe(name));
    };
    const quiet = () => new Promise((resolve) => setTimeout(resolve, 150));
    await change(1);
    await build('p1');
    // While one is built: the next is read after it, a load waits for that, and one more.
    await change(2);
    await quiet();
    await change(3);
    await quiet();
    waiting.shift()?.();
    await build('p3');
    // A change now is read after the waiting load.
    await change(4);
    await quiet();
    waiting.shift()?.();
    await build('p4');
    waiting.shift()?.();
    await eventually(() => expect(source?.current.policyNames).toEqual(['p4']));
  });

  it('retries good files that could not be applied, even if nothing changes', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, policy('one'));
    let broken = 0;
    source = new PolicySource({
      path: file,
      debounceMs: 20,
      rescanMs: 30,
      onLoad: (result, failure) => loads.push({ result, failure }),
      apply: async ({ head, pieces }, nowMs) => {
        broken -= 1;
        if (broken >= 0) throw new Error('a piece is missing');
        const builder = new RuntimeBuilder(head, { nowMs });
        for await (const piece of pieces()) builder.add(piece);
        return builder.finish();
      },
    });
    await source.start({ watch: true });
    loads = [];
    broken = 3;
    await writeFile(file, policy('two'));
    await eventually(() => expect(source?.current.policyNames).toEqual(['two']));
    expect(source.failure).toBeUndefined();
    // One report for all three.
    expect(loads.map(({ result }) => result)).toEqual(['failed', 'applied']);
    expect(loads[0]?.failure?.problems[0]).toMatchObject({ rule: 'bundle.internal', message: 'a piece is missing' });
  });

  it('follows a file that is replaced by rename', async () => {
    const file = join(folder, 'p.yaml');
    await writeFile(file, policy('one'));
    await start(file);
    await writeFile(join(folder, '.next'), policy('two'));
    await rename(join(folder, '.next'), file);
    await eventually(() => expect(source?.current.policyNames).toEqual(['two']));
  });

  it('loads a burst of renames once it is over', async () => {
    for (let n = 0; n < 20; n++) await writeFile(join(folder, `p${n}.yaml`), policy(`old${n}`));
    await start(folder);
    loads = [];
    for (let n = 0; n < 20; n++) {
      await writeFile(join(folder, `p${n}.tmp`), policy(`new${n}`));
      await rename(join(folder, `p${n}.tmp`), join(folder, `p${n}.yaml`));
    }
    await eventually(() => expect(source?.current.policyNames.every((name) => name.startsWith('new'))).toBe(true));
    expect(loads.length).toBeLessThanOrEqual(2);
  });

  it('follows the swap of the link behind a mounted ConfigMap', async () => {
    const version = async (n: number) => {
      await mkdir(join(folder, `..v${n}`));
      await writeFile(join(folder, `..v${n}`, 'p.yaml'), policy(`v${n}`));
      await symlink(`..v${n}`, join(folder, '..next'));
      await rename(join(folder, '..next'), join(folder, '..data'));
    };
    await version(1);
    await symlink('..data/p.yaml', join(folder, 'p.yaml'));
    await start(folder);
    expect(source?.current.policyNames).toEqual(['v1']);
    await version(2);
    await eventually(() => expect(source?.current.policyNames).toEqual(['v2']));
  });

  it('follows a link to another directory at once', async () => {
    for (const name of ['one', 'two', 'three']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'p.yaml'), policy(name));
    }
    const point = async (name: string) => {
      await symlink(name, join(folder, 'live.tmp'));
      await rename(join(folder, 'live.tmp'), join(folder, 'live'));
    };
    await point('one');
    await start(join(folder, 'live'));
    for (const name of ['two', 'three', 'one']) {
      await point(name);
      await eventually(() => expect(source?.current.policyNames).toEqual([name]));
    }
    await writeFile(join(folder, 'one', 'p.yaml'), policy('edited'));
    await eventually(() => expect(source?.current.policyNames).toEqual(['edited']));
  });

  it('notices a replaced directory, and keeps the last good bundle while there is none', async () => {
    const live = join(folder, 'live');
    await mkdir(live);
    await writeFile(join(live, 'p.yaml'), policy('one'));
    await start(live, 30);
    await rm(live, { recursive: true });
    await eventually(() => expect(source?.failure?.problems[0]?.rule).toMatch(/^bundle\./));
    expect(source?.current.policyNames).toEqual(['one']);
    await mkdir(live);
    await writeFile(join(live, 'p.yaml'), policy('two'));
    await eventually(() => expect(source?.current.policyNames).toEqual(['two']));
    await writeFile(join(live, 'p.yaml'), policy('three'));
    await eventually(() => expect(source?.current.policyNames).toEqual(['three']));
  });

  it('treats a changed data file as a new bundle', async () => {
    await mkdir(join(folder, 'files'));
    await writeFile(join(folder, 'p.yaml'), policy('one'));
    await writeFile(join(folder, 'files', 'key.pem'), 'one');
    const before = (await start(folder, 30)).current.digest;
    await writeFile(join(folder, 'files', 'key.pem'), 'two');
    await eventually(() => expect(source?.current.digest).not.toBe(before));
  });

  it('reads a large bundle in another thread, which delivers it in small pieces', async () => {
    await writeFile(join(folder, 'p.yaml'), policy('small'));
    const taken: Uint8Array[] = [];
    const failures: unknown[] = [];
    source = new PolicySource({
      path: folder,
      onLoadThreadFailed: (error) => failures.push(error),
      apply: async ({ head, pieces }, nowMs) => {
        const builder = new RuntimeBuilder(head, { nowMs });
        for await (const piece of pieces()) {
          taken.push(piece);
          builder.add(piece);
        }
        return builder.finish();
      },
    });
    await source.start({ watch: true });
    taken.length = 0;
    const hosts = Array.from(
      { length: 5000 },
      (_, n) =>
        `    - hosts: [d${n}.example.com]\n      policy: { engines: { rate_limit: { requests_per_second: 1 } } }\n      routes: [{ match: { path_prefix: /x }, policy: {} }]`,
    );
    await writeFile(join(folder, 'p.yaml'), policy('large', `\n  domains:\n${hosts.join('\n')}`));
    await vi.waitFor(() => expect(source?.current.policyNames).toEqual(['large']), { interval: 20 });
    expect(source.current.domainCount).toBe(5000);
    // An inherited block is one limiter even if the bundle came from another thread.
    expect(source.current.limiters.length).toBe(5000);
    expect(taken.length).toBeGreaterThan(30);
    expect(Math.max(...taken.map((piece) => unpackPolicies(EMPTY, [piece]).domains.length))).toBeLessThanOrEqual(128);
    expect(failures).toEqual([]);
  });

  it('reports a bad bundle once, however often it is checked', async () => {
    await writeFile(join(folder, 'p.yaml'), policy('one'));
    const started = await start(folder);
    await writeFile(join(folder, 'p.yaml'), 'x: [');
    for (let n = 0; n < 3; n++) await started.reload();
    expect(loads.filter(({ result }) => result === 'failed').length).toBe(1);
    expect(started.consecutiveFailures).toBe(1);
  });
});

describe('readBundle', () => {
  it('omits hidden and staged files, and reads folders of data files', async () => {
    await mkdir(join(folder, 'files'));
    for (const name of ['a.yaml', '.hidden.yaml', 'b.yaml.tmp', 'c.yaml~', 'files/x.pem'])
      await writeFile(join(folder, name), name);
    const files = await readBundle(folder);
    expect(files.ok ? files.value.map((file) => file.path) : []).toEqual(['a.yaml', 'files/x.pem']);
  });
});
