import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_ERROR_CODES, fixAtSchema } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { FIX_KINDS, findFix, toCode, toTranslationCode } from './codes.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const LISTENER = { type: 'envoy.config.listener.v3.Listener', name: 'web' };
const about = { serviceId: ID, clientId: ID, resource: LISTENER, service: { version: '1.40.0', policies: ['shop'] } };

it('screen bug 4: every code of a configuration error has an object to change', () => {
  expect(Object.keys(FIX_KINDS).toSorted()).toEqual([...CONFIG_ERROR_CODES].toSorted());
  for (const code of CONFIG_ERROR_CODES) expect(fixAtSchema.safeParse(findFix({ ...about, code })).success).toBe(true);
});

it('screen bug 4: every rule of the translation that is not a rule of writes has a code of its own', async () => {
  const folder = join(import.meta.dirname, '../../../../../../packages/translate/src');
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test.') && !name.startsWith('documents'),
  );
  const sources = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const rules = sources.flatMap((source) => [
    ...source.matchAll(/'((?:address|bootstrap|reference|document|shield)\.[a-z_]+)'/g),
  ]);
  expect(rules.length).toBeGreaterThan(8);
  for (const [, rule = ''] of rules) expect(toTranslationCode(rule)).toBe(rule);
  expect(toTranslationCode('string.min_len')).toBe('document.invalid');
});

it('screen bug 4: a missing address is fixed at the client in the service, not at the listener', () => {
  expect(findFix({ ...about, code: 'address.missing' })).toEqual({
    kind: 'service_clients',
    service_id: ID,
    client_id: ID,
  });
});

it('the object to change is the document of a refused resource, the policies for policies and the client for hosts', () => {
  expect(findFix({ ...about, code: 'envoy.refused' })).toEqual({
    kind: 'document',
    collection: 'listeners',
    name: 'web',
    version: '1.40.0',
  });
  expect(findFix({ ...about, code: 'policy.refused' })).toEqual({ kind: 'policies', names: ['shop'] });
  expect(findFix({ ...about, code: 'content.failed', resource: { type: 'policy', name: 'shop' } })).toEqual({
    kind: 'policies',
    names: ['shop'],
  });
  expect(findFix({ ...about, code: 'node.failed' })).toEqual({ kind: 'client', client_id: ID });
});

it('errors from before codes existed get the code of their source', () => {
  expect(toCode(null, 'rollout')).toBe('envoy.refused');
  expect(toCode(null, 'node')).toBe('node.failed');
});
