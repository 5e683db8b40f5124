import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkPaths, folderKey, PolicyStage } from './policy-stage.ts';

let base: string;
const layoutIn = () => deriveServiceLayout({ runtimeDir: join(base, 'run'), dataDir: join(base, 'data') }, 'svc');

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'fp-'));
  mkdirSync(layoutIn().dataDir, { recursive: true });
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function bundleOf(digest: string, files: Readonly<Record<string, string>>): fleet.PolicyBundle {
  const list = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  return create(fleet.PolicyBundleSchema, { digest, files: list });
}

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

test('a staged bundle is not current before it is made so, and older ones are removed after', async () => {
  const stage = new PolicyStage(layoutIn(), undefined);
  await stage.stage(bundleOf(A, { 'p.yaml': 'one', 'keys/k.pem': 'key' }));
  expect(await stage.current()).toBeUndefined();
  await stage.makeCurrent(A);
  await stage.stage(bundleOf(B, { 'p.yaml': 'two' }));
  expect(readFileSync(join(layoutIn().policyDir, 'keys/k.pem'), 'utf8')).toBe('key');
  await stage.makeCurrent(B);
  expect(await stage.current()).toBe(B);
  expect(readFileSync(join(layoutIn().policyDir, 'p.yaml'), 'utf8')).toBe('two');
  expect(existsSync(join(layoutIn().policyDir, 'keys'))).toBe(false);
  await stage.prune();
  expect(readdirSync(layoutIn().dataDir).sort()).toEqual(['policy', `policy-${B}`]);
  await stage.clear();
  expect(readdirSync(layoutIn().dataDir)).toEqual([]);
});

test('what a killed agent left half staged is replaced', async () => {
  const stage = new PolicyStage(layoutIn(), undefined);
  mkdirSync(join(layoutIn().dataDir, `policy-${A}.tmp/old`), { recursive: true });
  mkdirSync(join(layoutIn().dataDir, `policy-${A}/old`), { recursive: true });
  await stage.stage(bundleOf(A, { 'p.yaml': 'one' }));
  await stage.makeCurrent(A);
  expect(readdirSync(layoutIn().policyDir)).toEqual(['p.yaml']);
});

test.each([
  '',
  '/abs',
  '..',
  'a/../b',
  'a//b',
  './a',
  'a/.',
  'a\\b',
  'a\0b',
  'x'.repeat(300),
  '.hidden',
  'a/.git/x',
  'a.tmp',
  'a~',
])('the file path %j is refused', (path) => {
  expect(checkPaths([{ path, content: new Uint8Array() }])).toBeDefined();
});

test('twins and a file that is also a folder are refused, plain paths are taken', () => {
  const file = (path: string) => ({ path, content: new Uint8Array() });
  expect(checkPaths([file('a'), file('a')])).toContain('twice');
  expect(checkPaths([file('a'), file('a/b')])).toContain('folder');
  expect(checkPaths([file('p.yaml'), file('keys/a b.pem'), file('keys/ü.pem')])).toBeUndefined();
});

test('a digest that is no digest cannot name a folder elsewhere', () => {
  expect(folderKey('../../etc')).toMatch(/^[0-9a-f]{64}$/);
});
