import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../model/json.ts';
import { writeMember } from './members.ts';
import { parseDomains, readHosts, writeDomains, writeHostName } from './virtual-hosts.ts';

const rowsOf = (items: readonly Json[]) => {
  const found = readHosts(items);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
};
const rowOf = (item: Json) => rowsOf([item])[0];
const messages = (items: readonly Json[]) =>
  rowsOf(items).map(({ problems }) => problems.map(({ message }) => message));
const host = (...domains: readonly string[]) => ({ name: 'h', domains });

describe('virtual hosts', () => {
  it('are rows of name, domains and the number of routes', () => {
    const item = { name: 'a', domains: ['b', '*.c'], routes: [{}, {}], requireTls: 'ALL' };
    expect(rowsOf([item, { $ref: 'virtual_hosts/x' }, { domains: null }])).toMatchObject([
      { name: 'a', domains: ['b', '*.c'], routes: 2, reference: undefined, others: ['requireTls'] },
      { reference: 'virtual_hosts/x', problems: [] },
      { name: '', domains: [], routes: 0 },
    ]);
    expect(readHosts(undefined)).toEqual({ isSimple: true, rows: [] });
  });

  it.each<[Json, string]>([
    [{}, 'The virtual hosts are not a list.'],
    [['x'], 'Virtual host 1 is not an object.'],
    [[host('a'), { name: 5 }], 'Virtual host 2 has a value of a wrong type.'],
    [[{ domains: 'a' }], 'Virtual host 1 has a value of a wrong type.'],
    [[{ routes: {} }], 'Virtual host 1 has a value of a wrong type.'],
    [[{ domains: ['a', 5] }], 'Virtual host 1 has a domain that is not a text.'],
    [[host('')], 'Virtual host 1 has a domain that is empty or contains a space or a comma.'],
    [[host('a b')], 'Virtual host 1 has a domain that is empty or contains a space or a comma.'],
    [[host('a,b')], 'Virtual host 1 has a domain that is empty or contains a space or a comma.'],
  ])('%j are left to the full form, with a reason', (value, reason) => {
    expect(readHosts(value)).toEqual({ isSimple: false, reason });
  });

  it('have a problem if a domain is not unique, in any case of letters', () => {
    expect(messages([host('a.com', '*'), host('b.com')])).toEqual([[], []]);
    expect(messages([host('a.com'), host('b.com', 'A.COM')])).toEqual([
      [],
      ['Domain A.COM belongs to virtual host 1.'],
    ]);
    expect(messages([host('a', 'a')])).toEqual([['Domain a is written twice.']]);
    expect(messages([host('__proto__'), host('constructor')])).toEqual([[], []]);
  });

  it('have a problem without a name or a domain', () => {
    expect(messages([{}])).toEqual([['Name is required.', 'At least one domain is required.']]);
  });

  it('read domains from any list', () => {
    expect(parseDomains(' a.com, *.b.com\nc.com:80\t[::1] ,')).toEqual(['a.com', '*.b.com', 'c.com:80', '[::1]']);
    expect(parseDomains(' ,\n')).toEqual([]);
  });
});

const domain = fc.stringMatching(/^[a-z*.:_-]{1,9}$/);
const anyHost = fc
  .record({
    others: fc.dictionary(
      fc.constantFrom('routes', 'require_tls', 'unknown', '__proto__'),
      fc.array(fc.jsonValue()) as fc.Arbitrary<Json>,
    ),
    name: fc.string(),
    domains: fc.array(domain),
  })
  .map(({ others, name, domains }): JsonObject => ({ ...others, name, domains }));

describe('a change of a virtual host', () => {
  it('is no change if the text is the same', () => {
    fc.assert(
      fc.property(anyHost, (item) => {
        const row = rowOf(item);
        expect(writeHostName(item, row?.name ?? '')).toBe(item);
        expect(writeDomains(item, parseDomains((row?.domains ?? []).join(', ')))).toBe(item);
      }),
    );
  });

  it('keeps everything else and can be read again', () => {
    fc.assert(
      fc.property(anyHost, fc.string(), fc.string(), (item, name, text) => {
        const named = writeHostName(item, name);
        expect(writeMember(named, ['name'], undefined)).toEqual(writeMember(item, ['name'], undefined));
        expect(rowOf(named)?.name).toBe(name);
        const next = writeDomains(item, parseDomains(text));
        expect(writeMember(next, ['domains'], undefined)).toEqual(writeMember(item, ['domains'], undefined));
        expect(rowOf(next)?.domains).toEqual(parseDomains(text));
      }),
    );
  });
});
