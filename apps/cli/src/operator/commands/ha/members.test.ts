import { describe, expect, it } from 'vitest';
import { CliFailure } from '../../exit-codes.ts';
import { parseMember } from './members.ts';

describe('a member of a new pair', () => {
  it.each([
    ['edge-1', { client: 'edge-1' }],
    ['edge-1=200', { client: 'edge-1', priority: 200 }],
    ['edge-1=200,192.0.2.1', { client: 'edge-1', priority: 200, address: '192.0.2.1' }],
    ['edge-1=,192.0.2.1', { client: 'edge-1', address: '192.0.2.1' }],
    ['a=b=7', { client: 'a=b', priority: 7 }],
  ])('is read from %s', (text, member) => {
    expect(parseMember(text)).toEqual(member);
  });

  it.each(['=200', 'edge-1=high', 'edge-1=-1', 'edge-1=200,', 'edge-1=1,2,3'])('is refused in the form %s', (text) => {
    expect(() => parseMember(text)).toThrow(CliFailure);
  });
});
