import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBundle } from './bundle-reader.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bundle-'));
  folder = join(root, 'policies');
  await mkdir(join(folder, 'files'), { recursive: true });
  await mkdir(join(folder, '..data'));
  await writeFile(join(root, 'outside'), 'not for policies');
  await writeFile(join(folder, '..data/key'), 'key');
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('a data file that is a link', () => {
  it('is read if its target is within the folder, as in a mounted ConfigMap', async () => {
    await symlink('../..data/key', join(folder, 'files/key'));
    const files = await readBundle(folder);
    expect(files.ok && files.value.map(({ path, content }) => [path, content.toString()])).toEqual([
      ['files/key', 'key'],
    ]);
  });

  it.each([
    ['one file out of the folder', '../../outside', 'files/key'],
    ['a folder out of the folder', '../..', 'files/more'],
  ])('is refused if its target is %s: %s', async (_, target, name) => {
    await symlink(target, join(folder, name));
    const files = await readBundle(folder);
    expect(files.ok).toBe(false);
    expect(!files.ok && files.error[0]).toMatchObject({ rule: 'bundle.unreadable' });
    expect(!files.ok && files.error[0]?.message).toContain("leads out of the policy's folder");
  });

  it('is also refused beside a single policy file, while a policy itself may be a link to anywhere', async () => {
    const jwt = { algorithms: ['HS256'], hmac_secret_file: 'files/key' };
    const spec = { domains: [{ hosts: ['a.example.com'], policy: { engines: { jwt } } }] };
    const text = JSON.stringify({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'p' },
      spec,
    });
    await writeFile(join(folder, 'p.json'), text);
    await symlink('../../outside', join(folder, 'files/key'));
    expect((await readBundle(join(folder, 'p.json'))).ok).toBe(false);
    await writeFile(join(root, 'p.json'), text);
    await rm(join(folder, 'files/key'));
    await rm(join(folder, 'p.json'));
    await symlink('../p.json', join(folder, 'p.json'));
    const files = await readBundle(folder);
    expect(files.ok && files.value.map(({ path }) => path)).toEqual(['p.json']);
  });
});

describe('a large data file', () => {
  const MIB = 1024 * 1024;

  it('is read completely, into memory that need not be copied for another thread', async () => {
    const bytes = Buffer.alloc(3 * MIB + 5);
    for (let at = 0; at < bytes.length; at++) bytes[at] = at % 251;
    await writeFile(join(folder, 'files/large'), bytes);
    await writeFile(join(folder, 'files/small'), 'small');
    const files = await readBundle(folder);
    const contents = files.ok ? files.value.map(({ content }) => content) : [];
    expect(
      contents.map((content) => typeof content !== 'string' && content.buffer instanceof SharedArrayBuffer),
    ).toEqual([true, false]);
    expect(Buffer.compare(Buffer.from(contents[0] ?? ''), bytes)).toBe(0);
  });

  it('may be larger than a policy, up to its own limit', async () => {
    await writeFile(join(folder, 'files/large'), Buffer.alloc(17 * MIB));
    expect((await readBundle(folder)).ok).toBe(true);
    await writeFile(join(folder, 'files/large'), Buffer.alloc(32 * MIB + 1));
    const files = await readBundle(folder);
    expect(!files.ok && files.error[0]?.message).toBe(`files/large is larger than ${32 * MIB} bytes`);
    await rm(join(folder, 'files/large'));
    await writeFile(join(folder, 'p.yaml'), Buffer.alloc(17 * MIB, ' '));
    expect((await readBundle(folder)).ok).toBe(false);
  });
});
