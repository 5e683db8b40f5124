import { expect, it } from 'vitest';
import { withholdHeaders } from './credential-grant.ts';

it.each([
  [1, 27],
  [2, 54],
  [4, 36],
  [10, 30],
])('headers of %i other routes go in no more spellings than a proxy takes', (count, size) => {
  const names = Array.from({ length: count }, (_, n) => `x-${n}-user-id`);
  const removed = withholdHeaders(names)?.removeHeaders ?? [];
  expect(removed).toHaveLength(size);
  const alike = names.flatMap((name) => ['-', '_', '.'].map((separator) => name.replaceAll('-', separator)));
  expect(removed).toEqual(expect.arrayContaining(alike));
});
