import { expect, it } from 'vitest';
import { EMPTY_DRAFT } from './draft.ts';
import { deriveWarnings } from './warnings.ts';

const base = { ...EMPTY_DRAFT, version: '1.39.3', bootstrap: 'plain', listeners: ['a'], policies: ['p', 'q'] };

it('warns of nothing where nothing is risked', () => {
  expect(deriveWarnings(base, { ...base, clients: [{ client_id: 'x', addresses: [] }] }, 3)).toEqual([]);
});

it('says that nothing is checked or accepted without policies or listeners, also of a new service', () => {
  const warnings = deriveWarnings(undefined, { ...base, policies: [], listeners: [] }, 0);
  expect(warnings).toHaveLength(2);
});

it('names policies and listeners that are taken out', () => {
  expect(deriveWarnings(base, { ...base, policies: ['q'], listeners: ['b'] }, 0).join(' ')).toMatch(
    /by p\..*closes a:/,
  );
});

it('says that Envoy is replaced only where it runs', () => {
  const other = { ...base, version: '1.40.0' };
  expect(deriveWarnings(base, other, 0)).toEqual([]);
  expect(deriveWarnings(base, other, 2).join()).toContain('replaced');
  expect(deriveWarnings(base, { ...base, bootstrap: 'other' }, 2).join()).toContain('bootstrap');
});
