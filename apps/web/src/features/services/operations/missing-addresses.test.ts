import { expect, it } from 'vitest';
import { countMissingAddresses } from './missing-addresses.ts';

const facts = {
  clientListeners: ['web'],
  missingAddresses: ['bare'],
  nodes: [{ client_id: 'bare' }, { client_id: 'full' }],
};

it('chosen clients without an address are counted, including newly added ones (screen bug 3)', () => {
  expect(countMissingAddresses(facts, ['bare', 'full', 'added'])).toBe(2);
  expect(countMissingAddresses(facts, ['full'])).toBe(0);
});

it('no client is counted if no listener binds to the address of its client', () => {
  expect(countMissingAddresses({ ...facts, clientListeners: [], missingAddresses: [] }, ['bare', 'added'])).toBe(0);
});
