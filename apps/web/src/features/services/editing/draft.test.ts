import { expect, it } from 'vitest';
import { checkDraft, EMPTY_DRAFT, fieldOf, isAddress } from './draft.ts';

const whole = { ...EMPTY_DRAFT, name: 'edge', version: '1.39.3', bootstrap: 'plain' };

it('asks for name, version and bootstrap', () => {
  expect(Object.keys(checkDraft(EMPTY_DRAFT))).toEqual(['name', 'version', 'bootstrap']);
  expect(checkDraft(whole)).toEqual({});
});

it.each(['-edge', 'edge.', 'a b', 'a::b', 'a/b', 'x'.repeat(129), 'ä'])('refuses the name %s', (name) => {
  expect(checkDraft({ ...whole, name }).name).toBeDefined();
});

it('names an address that is none', () => {
  const clients = [{ client_id: 'a', addresses: ['192.0.2.1', '192.0.2.300'] }];
  expect(checkDraft({ ...whole, clients }).clients).toContain('192.0.2.300');
});

it('takes both kinds of address', () => {
  expect(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1'].every(isAddress)).toBe(true);
  expect(['edge.example', '192.0.2', '192.0.2.1/24', ''].some(isAddress)).toBe(false);
});

it('finds the field that an answer is about', () => {
  expect(fieldOf('listeners[0]')).toBe('listeners');
  expect(fieldOf('clients[3].client_id')).toBe('clients');
  expect(fieldOf('project')).toBeUndefined();
});
