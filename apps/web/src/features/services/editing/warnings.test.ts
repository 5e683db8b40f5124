import { expect, it } from 'vitest';
import { EMPTY_DRAFT } from './draft.ts';
import { deriveWarnings } from './warnings.ts';

const base = { ...EMPTY_DRAFT, version: '1.39.3', bootstrap: 'plain', listeners: ['a'], policies: ['p', 'q'] };

const of = (reached: number, missing: readonly string[] = []) => ({
  reached,
  addresses: { client_listeners: ['web'], missing_addresses: missing },
});

it('the first warning is about clients without the address that a listener needs (screen bug 3)', () => {
  const [first] = deriveWarnings(base, base, of(0, ['x', 'y']));
  expect(first).toBe('2 clients have no IP address: web binds to "@client" and cannot be generated there.');
});

it('a harmless change causes no warnings', () => {
  expect(deriveWarnings(base, { ...base, clients: [{ client_id: 'x', addresses: [] }] }, of(3))).toEqual([]);
});

it('a service without policies or listeners causes a warning that it checks or accepts nothing, also a new one', () => {
  const warnings = deriveWarnings(undefined, { ...base, policies: [], listeners: [] }, of(0));
  expect(warnings).toHaveLength(2);
});

it('a warning names removed policies and listeners', () => {
  expect(deriveWarnings(base, { ...base, policies: ['q'], listeners: ['b'] }, of(0)).join(' ')).toMatch(
    /p will no longer check requests\..*closes a and/,
  );
});

it('a warning that Envoy is replaced appears only if Envoy runs', () => {
  const other = { ...base, version: '1.40.0' };
  expect(deriveWarnings(base, other, of(0))).toEqual([]);
  expect(deriveWarnings(base, other, of(2)).join()).toContain('replaced');
  expect(deriveWarnings(base, { ...base, bootstrap: 'other' }, of(2)).join()).toContain('bootstrap');
});
