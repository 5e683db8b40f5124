import { type Change, secret } from '@flotilla/contract';
import { type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { diffForAudit } from './audit-diff.ts';

const word = () => secret(z.string());
const schema = z.object({
  name: z.string(),
  size: z.number().nullable(),
  password: word().nullable().optional(),
  servers: z.array(z.object({ url: z.string(), key: word() })),
  labels: z.record(z.string(), z.string()),
  tokens: z.record(z.string(), word()),
  keys: z.array(word()),
  pair: z.tuple([z.string(), word()]).optional(),
  sink: z.union([
    z.object({ kind: z.literal('plain'), credential: z.string() }),
    z.object({ kind: z.literal('signed'), credential: word(), deep: z.object({ keys: z.array(word()) }) }),
  ]),
});

const MARK = 'S3CR3T';
const hidden = fc.integer({ min: 0, max: 5 }).map((n) => `${MARK}-${n}`);
const plain = fc.oneof(fc.constantFrom('a', 'b', '', '__proto__', 'a b', '"', ']["x'), fc.string({ maxLength: 5 }));
const optional = { requiredKeys: ['name', 'size', 'servers', 'labels', 'tokens', 'keys', 'sink'] as const };
const document = fc.record(
  {
    name: plain,
    size: fc.option(fc.integer()),
    password: fc.option(hidden),
    servers: fc.array(fc.record({ url: plain, key: hidden }), { maxLength: 3 }),
    labels: fc.dictionary(plain, plain, { maxKeys: 4 }),
    tokens: fc.dictionary(plain, hidden, { maxKeys: 4 }),
    keys: fc.array(hidden, { maxLength: 3 }),
    pair: fc.tuple(plain, hidden),
    sink: fc.oneof(
      fc.record({ kind: fc.constant('plain'), credential: hidden }),
      fc.record({ kind: fc.constant('signed'), credential: hidden, deep: fc.record({ keys: fc.array(hidden) }) }),
    ),
  },
  { requiredKeys: [...optional.requiredKeys] },
) as fc.Arbitrary<JsonObject>;

/** Masks secrets as the diff does. */
function masked(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.startsWith(MARK) ? '[secret]' : value;
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one)]));
}

function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(/\.?([A-Za-z_@$][\w@$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)].map(
    ([, name, index, quoted]) => name ?? (index === undefined ? (JSON.parse(quoted ?? '""') as string) : Number(index)),
  );
}

function apply(value: JsonValue, changes: readonly Change[]): JsonValue {
  const root = { whole: structuredClone(value) };
  const gone = Symbol('gone');
  for (const { path, change, after } of changes) {
    const steps = ['whole', ...parsePath(path)];
    let at = root as unknown as Record<string | number, unknown>;
    for (const step of steps.slice(0, -1)) at = at[step] as typeof at;
    const last = steps.at(-1) ?? '';
    if (change !== 'removed') setOwn(at as JsonObject, String(last), after as JsonValue);
    else if (Array.isArray(at)) at[Number(last)] = gone;
    else delete at[last];
  }
  const sweep = (one: unknown): JsonValue => {
    if (Array.isArray(one)) return one.filter((item) => item !== gone).map(sweep);
    if (typeof one !== 'object' || one === null) return one as JsonValue;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, sweep(inner)]));
  };
  return sweep(root.whole);
}

it('the changes applied to the old value give the new one, and contain no secret', () => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      const { diff, total } = diffForAudit(before, after, schema);
      expect(JSON.stringify(diff)).not.toContain(MARK);
      expect(diff).toHaveLength(total);
      expect(apply(masked(before), diff)).toEqual(masked(after));
    }),
    { numRuns: 300 },
  );
});

it('a member unknown to the schema is treated as a secret', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      const strange = (value: unknown) => ({ name: 'a', strange: [MARK, { inner: [value, MARK] }] }) as JsonObject;
      const { diff } = diffForAudit(strange(before), { ...strange(after), other: MARK }, schema);
      expect(JSON.stringify(diff)).not.toContain(MARK);
      expect(diff).toContainEqual({ path: 'other', change: 'added', after: '[secret]' });
    }),
    { numRuns: 200 },
  );
});

it('the diff says that a secret was set, changed or deleted, and nothing of its value', () => {
  const base = { name: 'a' };
  expect(diffForAudit(base, { ...base, password: 'x' }, schema)).toEqual({
    diff: [{ path: 'password', change: 'added', after: '[secret]' }],
    total: 1,
  });
  expect(diffForAudit({ password: 'x' }, { password: 'y' }, schema).diff).toEqual([
    { path: 'password', change: 'changed', before: '[secret]', after: '[secret]' },
  ]);
  expect(diffForAudit({ password: 'x' }, { password: 'x' }, schema)).toEqual({ diff: [], total: 0 });
});

it('the diff has a limited number of changes of a limited size, and counts all of them', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`l${i}`, `${i}`]));
  const { diff, total } = diffForAudit({ labels: {} }, { labels: many }, schema);
  expect([diff.length, total]).toEqual([200, 5000]);
  const long = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${'k'.repeat(900)}${i}`, 'x']));
  expect(JSON.stringify(diffForAudit({ labels: {} }, { labels: long }, schema)).length).toBeLessThan(70_000);
  const value = { name: 'x'.repeat(10_000) };
  expect(diffForAudit({ name: 'y' }, value, schema).diff[0]?.after).toBe('[10002 characters of JSON]');
});

it('the diff survives deep nesting', () => {
  let deep: JsonValue = MARK;
  for (let i = 0; i < 2000; i += 1) deep = [deep];
  const loose = z.looseObject({});
  const { diff } = diffForAudit({ a: 1 }, { a: deep }, loose);
  expect(JSON.stringify(diff)).toContain('[too deep]');
});
