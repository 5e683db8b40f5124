import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { hasSecret, isSecretPath, secret } from './secret.ts';

const word = () => secret(z.string().min(8));

const schema = z.object({
  name: z.string(),
  password: word().optional(),
  token: word().nullable().default(null),
  servers: z.array(z.object({ url: z.url(), key: word() })),
  byName: z.record(z.string(), z.object({ key: word(), note: z.string() })),
  pair: z.tuple([z.string(), word()]),
  sink: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('syslog'), host: z.string(), credential: z.string() }),
    z.object({ kind: z.literal('webhook'), url: z.url(), credential: word() }),
  ]),
  trimmed: word().transform((text) => text.trim()),
  read: z.preprocess((value) => value, word()),
});

describe('isSecretPath', () => {
  it.each([
    [['password']],
    [['token']],
    [['servers', 3, 'key']],
    [['byName', 'anything', 'key']],
    [['pair', 1]],
    [['sink', 'credential']],
    [['trimmed']],
    [['read']],
  ])('returns true for the secret at %j', (path) => {
    expect(isSecretPath(schema, path)).toBe(true);
  });

  it.each([[['name']], [['servers', 0, 'url']], [['byName', 'key', 'note']], [['pair', 0]], [['sink', 'host']], [[]]])(
    'returns false for the plain value at %j',
    (path) => {
      expect(isSecretPath(schema, path)).toBe(false);
    },
  );

  it.each([
    [['new_member']],
    [['servers', 0, 'constructor']],
    [['name', 'deeper']],
    [['sink', 'elsewhere']],
    [['pair', 2]],
  ])('returns true for %j, which the schema does not know', (path) => {
    expect(isSecretPath(schema, path)).toBe(true);
  });

  it('returns true for the secret member of a loose object and false for unknown members', () => {
    const loose = z.looseObject({ key: word() });
    expect([isSecretPath(loose, ['key']), isSecretPath(loose, ['other'])]).toEqual([true, false]);
  });
});

describe('hasSecret', () => {
  const { password: _, token: __, trimmed: ___, read: ____, ...nested } = schema.shape;
  const plain = z.object({ name: z.string(), list: z.array(z.object({ at: z.url().optional() })) });

  it.each(Object.keys(nested).filter((name) => name !== 'name'))('returns true for the secret below %s', (name) => {
    expect(hasSecret(plain.extend({ inner: schema.shape[name as 'pair'].optional() }))).toBe(true);
  });

  it.each(['password', 'token', 'trimmed', 'read'] as const)('returns true for the secret %s itself', (name) => {
    expect(hasSecret(schema.shape[name])).toBe(true);
  });

  it('returns false for a schema without a secret, even if it contains itself', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    expect([hasSecret(plain), hasSecret(tree), hasSecret(z.lazy(() => plain))]).toEqual([false, false, false]);
  });
});

describe('secret', () => {
  it('marks the text in the JSON schema', () => {
    expect(z.toJSONSchema(z.object({ key: word() })).properties?.key).toMatchObject({ secret: true });
  });
});
