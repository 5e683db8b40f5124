import { expect, it } from 'vitest';
import { DRAFT_FINDINGS_MAX, toDraftPolicy } from './draft-policy.ts';

it('the address of a draft names the findings, whatever the project is called', () => {
  expect(toDraftPolicy('a/b ?', ['01a2', '01a3'])).toBe(
    '/p/a%2Fb%20%3F/traffic/drafts/new?finding_id=01a2&finding_id=01a3',
  );
});

it('the address of the most findings is one that servers accept', () => {
  const ids = Array.from({ length: DRAFT_FINDINGS_MAX }, () => '01a224e5-7a63-7e7b-ae70-28a9c90859ed');
  expect(toDraftPolicy('shop', ids).length).toBeLessThan(12_000);
});
