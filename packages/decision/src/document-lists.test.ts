import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { headOf, packPolicies, unpackPolicies } from './packed-policies.ts';
import { RuntimeBuilder } from './runtime-builder.ts';
import { ask, at, domainOf, loadSpecs, Workshop } from './testing/workshop.ts';

const digestsOf = (texts: readonly string[]) => texts.map((text) => createHash('sha256').update(text).digest('hex'));
const MANY = Array.from({ length: 3000 }, (_, n) => `{a${n}}`);
const FILES = [
  { path: 'files/many.json', content: JSON.stringify(digestsOf(MANY)) },
  { path: 'files/one.json', content: JSON.stringify(digestsOf(['{b}'])) },
];
const listing = (file: string, more: object = {}) => ({
  graphql: { trusted_documents_file: `files/${file}.json`, max_operations: 10, ...more },
});
const load = (domains: readonly object[]) =>
  loadSpecs([{ defaults: { inspect_request_body: true, max_request_body_bytes: 65_536 }, domains }], FILES);
/** A hundred domains with the long list and different limits, one domain with many routes, and one with the short list. */
const loaded = load([
  ...Array.from({ length: 100 }, (_, n) => domainOf(`h${n}.test`, listing('many', { max_depth: 10 + n }))),
  {
    ...domainOf('routes.test', listing('one')),
    routes: Array.from({ length: 1000 }, (_, n) => ({
      match: { path_prefix: `/r${n}` },
      policy: n % 2 === 0 ? {} : { engines: listing('many', { max_depth: 10 + (n % 3) }) },
    })),
  },
]);
const query = (host: string, text: string, path = '') => at(host, `${path}?query=${encodeURIComponent(text)}`);

/** The test runner compares bytes one by one, which takes many seconds for hundreds of thousands. */
beforeAll(() =>
  expect.addEqualityTesters([
    (a: unknown, b: unknown) =>
      a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : undefined,
  ]),
);

describe('a list of documents', () => {
  it('is transferred once per file, as shared bytes that are used in place', () => {
    const pieces = [...packPolicies(loaded.domains)];
    const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    // A separate list in each of the hundred blocks would take ten million bytes.
    expect(bytes).toBeLessThan(700_000);
    for (const piece of pieces) expect(piece.buffer).toBeInstanceOf(SharedArrayBuffer);
    const again = unpackPolicies(headOf(loaded), pieces);
    expect(again).toEqual(loaded);
    const lists = again.domains.flatMap(({ policy }) =>
      policy.engines.flatMap(({ engine, options }) => (engine === 'graphql' ? (options.trustedDocuments ?? []) : [])),
    );
    expect(new Set(lists).size).toBe(2);
    for (const { digests } of lists) expect(pieces.map(({ buffer }) => buffer)).toContain(digests.buffer);
  });

  it('allows the listed documents in domains that are created early and late', () => {
    const early = new Workshop().early(loaded);
    const late = new Workshop().late(loaded);
    const trials = [
      ...[0, 50, 99].flatMap((n) => ['{a0}', '{a2999}', '{b}'].map((text) => query(`h${n}.test`, text))),
      ...['', '/r0', '/r1', '/r999'].flatMap((path) =>
        ['{a0}', '{b}', '{c}'].map((text) => query('routes.test', text, path)),
      ),
    ];
    for (const trial of trials) expect(ask(late, trial)).toEqual(ask(early, trial));
    expect(ask(late, query('h7.test', '{a7}')).findings).toEqual([]);
    expect(ask(late, query('h7.test', '{b}')).findings).toEqual(['p0  blocked graphql graphql.untrusted_document 403']);
  });

  it('keeps its bytes if the next bundle has it, too', () => {
    const workshop = new Workshop();
    const first = workshop.late(loaded);
    const changed = load([domainOf('h0.test', listing('many')), domainOf('new.test', listing('one'))]);
    const second = workshop.late(changed, first);
    const third = workshop.late(load([domainOf('h0.test', listing('one'))]), second);
    for (const [name, list] of second.scope.lists) expect(first.scope.lists.get(name)).toBe(list);
    expect([first, second, third].map(({ scope }) => scope.lists.size)).toEqual([2, 2, 1]);
    expect(ask(second, query('h0.test', '{a1}')).findings).toEqual([]);
    expect(ask(third, query('h0.test', '{a1}')).findings).toHaveLength(1);
  });

  it('must be present, or the bundle is rejected, even if nobody has asked for its domains', () => {
    const small = load([domainOf('a.test', listing('one'))]);
    for (const { domains, ...head } of [loaded, small]) {
      const pieces = [...packPolicies(domains)].slice(1);
      expect(() => unpackPolicies(headOf({ ...head, domains }), pieces)).toThrow('list of documents');
      const builder = new RuntimeBuilder(headOf({ ...head, domains }), new Workshop().options());
      expect(() => pieces.map((piece) => builder.add(piece))).toThrow('list of documents');
    }
  });
});
