import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Decision } from '@flotilla/decision';
import type { RequestView } from '@flotilla/engines';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBundle } from './bundle-reader.ts';
import { PolicySource } from './policy-source.ts';

const one = generateKeyPairSync('ed25519');
const two = generateKeyPairSync('ed25519');

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          jwt: { algorithms: [EdDSA], public_key_file: files/key.pem }
          rate_limit: { requests_per_second: 0.001, burst: 1000 }
`;

let folder: string;
let source: PolicySource;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-keys-'));
});

afterEach(async () => {
  await source.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts on a bundle without periodic comparison. */
async function start(path = folder): Promise<void> {
  source = new PolicySource({ path, debounceMs: 20, rescanMs: 600_000 });
  const started = await source.start({ watch: true });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

function tokenOf(key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'EdDSA' })}.${encode({ sub: 'alice', exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

const TOKENS = { one: tokenOf(one.privateKey), two: tokenOf(two.privateKey) };

/** The owner of the token that the current bundle accepts. */
function admitted(): string {
  const names = (['one', 'two'] as const).filter((name) => {
    const request: RequestView = {
      method: 'GET',
      host: 'api.example.com',
      rawPath: '/',
      query: '',
      paths: { texts: ['/'], mayBeAny: false },
      sourceIp: '192.0.2.1',
      findNames: () => [],
      header: (header) => (header === 'authorization' ? [`Bearer ${TOKENS[name]}`] : []),
    };
    const listener = { onFinding: () => undefined, onEngineError: () => undefined };
    return new Decision(source.current, listener).decideHeaders(request, false) === 'allow';
  });
  return names.join(' ');
}

const eventually = (check: () => void) => vi.waitFor(check, { interval: 10 });

describe('a key file of a running filter', () => {
  it('takes effect when it is rewritten, without a change of the policy', async () => {
    await write('policy.yaml', POLICY);
    await write('files/key.pem', pemOf(one.publicKey));
    await start();
    expect(admitted()).toBe('one');
    for (const [name, key] of [
      ['two', two],
      ['one', one],
      ['two', two],
    ] as const) {
      await write('files/key.pem', pemOf(key.publicKey));
      await eventually(() => expect(admitted()).toBe(name));
    }
  });

  it('takes effect when it is replaced by rename', async () => {
    await write('policy.yaml', POLICY);
    await write('files/key.pem', pemOf(one.publicKey));
    await start();
    expect(admitted()).toBe('one');
    await write('files/key.pem.tmp', pemOf(two.publicKey));
    await rename(join(folder, 'files/key.pem.tmp'), join(folder, 'files/key.pem'));
    await eventually(() => expect(admitted()).toBe('two'));
  });

  it('takes effect when the link to its folder is swapped, each time', async () => {
    await write('policy.yaml', POLICY);
    const point = async (version: string) => {
      await symlink(version, join(folder, '..next'));
      await rename(join(folder, '..next'), join(folder, 'files'));
    };
    await write('..one/key.pem', pemOf(one.publicKey));
    await write('..two/key.pem', pemOf(two.publicKey));
    await point('..one');
    await start();
    for (const version of ['two', 'one', 'two']) {
      await point(`..${version}`);
      await eventually(() => expect(admitted()).toBe(version));
    }
    await write('..two/key.pem', pemOf(one.publicKey));
    await eventually(() => expect(admitted()).toBe('one'));
  });

  it('takes effect when the whole mounted volume is swapped behind its links', async () => {
    const version = async (name: string, key: KeyObject) => {
      await write(`..${name}/policy.yaml`, POLICY);
      await write(`..${name}/key.pem`, pemOf(key));
      await symlink(`..${name}`, join(folder, '..next'));
      await rename(join(folder, '..next'), join(folder, '..data'));
    };
    await version('v1', one.publicKey);
    await symlink('..data/policy.yaml', join(folder, 'policy.yaml'));
    await mkdir(join(folder, 'files'));
    await symlink('../..data/key.pem', join(folder, 'files/key.pem'));
    await start();
    expect(admitted()).toBe('one');
    await version('v2', two.publicKey);
    await eventually(() => expect(admitted()).toBe('two'));
  });

  it('leaves the last valid one in effect if it is bad or missing, and is reported where it is referred to', async () => {
    await write('policy.yaml', POLICY);
    await write('files/key.pem', pemOf(one.publicKey));
    await start();
    const problem = () => source.failure?.problems[0];
    await write('files/key.pem', one.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    await eventually(() => expect(problem()).toMatchObject({ file: 'policy.yaml', line: 9, rule: 'jwt.private_key' }));
    expect(admitted()).toBe('one');
    await rm(join(folder, 'files/key.pem'));
    await eventually(() => expect(problem()?.rule).toBe('jwt.file'));
    expect(admitted()).toBe('one');
    // The folder is empty now, but still watched.
    await write('files/key.pem', pemOf(two.publicKey));
    await eventually(() => expect(admitted()).toBe('two'));
    expect(source.failure).toBeUndefined();
  });

  it('does not affect the other engines of the policy', async () => {
    await write('policy.yaml', POLICY);
    await write('files/key.pem', pemOf(one.publicKey));
    await start();
    const engine = (name: string) =>
      source.current.index
        .findDomain('api.example.com')
        ?.findPolicy('/')
        .engines.find((each) => each.name === name);
    const [limiter, jwt] = [engine('rate_limit'), engine('jwt')];
    await write('files/key.pem', pemOf(two.publicKey));
    await eventually(() => expect(admitted()).toBe('two'));
    expect(engine('rate_limit')).toBe(limiter);
    expect(engine('jwt')).not.toBe(jwt);
  });
});

describe('a single policy file', () => {
  it('loads the data files that it refers to, from its folder and below, and follows them', async () => {
    await write('policy.yaml', POLICY);
    await write('files/key.pem', pemOf(one.publicKey));
    await write('files/other.pem', 'not named');
    await start(join(folder, 'policy.yaml'));
    expect(admitted()).toBe('one');
    const files = await readBundle(join(folder, 'policy.yaml'));
    expect(files.ok ? files.value.map(({ path }) => path) : []).toEqual(['policy.yaml', 'files/key.pem']);
    await write('files/key.pem', pemOf(two.publicKey));
    await eventually(() => expect(admitted()).toBe('two'));
  });

  it('loads nothing from elsewhere', async () => {
    await write('outside.pem', pemOf(one.publicKey));
    await write('inside/policy.yaml', POLICY.replace('files/key.pem', '../outside.pem'));
    source = new PolicySource({ path: join(folder, 'inside/policy.yaml') });
    const started = await source.start({ watch: false });
    expect(started.ok ? [] : started.error.map(({ rule }) => rule)).toEqual(['jwt.file']);
    const files = await readBundle(join(folder, 'inside/policy.yaml'));
    expect(files.ok ? files.value.map(({ path }) => path) : []).toEqual(['policy.yaml']);
  });
});
