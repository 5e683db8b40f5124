import { expect, it } from 'vitest';
import { toDraftPolicy } from './draft-policy.ts';

it('the address of a draft names the operation and the flag, whatever the project is called', () => {
  expect(toDraftPolicy('a/b ?', { operation: '0123456789abcdef', flag: 'missing_hsts' })).toBe(
    '/p/a%2Fb%20%3F/traffic/drafts/new?operation_id=0123456789abcdef&flag=missing_hsts',
  );
});
