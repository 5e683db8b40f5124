import { expect, it } from 'vitest';
import { checkDraft, EMPTY_DRAFT, fieldOf, isAddress } from './draft.ts';

const whole = { ...EMPTY_DRAFT, name: 'edge', version: '1.39.3', bootstrap: 'plain' };

it('name, version and bootstrap are required', () => {
  expect(Object.keys(checkDraft(EMPTY_DRAFT))).toEqual(['name', 'version', 'bootstrap']);
  expect(checkDraft(whole)).toEqual({});
});

it.each(['-edge', 'edge.', 'a b', 'a::b', 'a/b', 'x'.repeat(129), 'ä'])('the name %s is rejected', (name) => {
  expect(checkDraft({ ...whole, name }).name).toBeDefined();
});

it('an invalid address is reported', () => {
  const clients = [{ client_id: 'a', addresses: ['192.0.2.1', '192.0.2.300'] }];
  expect(checkDraft({ ...whole, clients }).clients).toContain('192.0.2.300');
});

it('IPv4 and IPv6 addresses are accepted', () => {
  expect(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1'].every(isAddress)).toBe(true);
  expect(['edge.example', '192.0.2', '192.0.2.1/24', ''].some(isAddress)).toBe(false);
});

it('an error of the API is assigned to its field', () => {
  expect(fieldOf('listeners[0]')).toBe('listeners');
  expect(fieldOf('clients[3].client_id')).toBe('clients');
  expect(fieldOf('project')).toBeUndefined();
});
