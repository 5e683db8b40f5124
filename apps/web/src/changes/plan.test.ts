import { expect, it } from 'vitest';
import { ApiError } from '../api/index.ts';
import { isStale, toFieldErrors, withoutRoot } from './plan.ts';

const refusal = (status: number) => new ApiError(status, { code: 'x', message: 'x', request_id: 'x' });

it('the paths of a refused write are relative to the document', () => {
  expect(withoutRoot('resource.a.b[0]', 'resource')).toBe('a.b[0]');
  expect(withoutRoot('resource["odd key"]', 'resource')).toBe('["odd key"]');
  expect(withoutRoot('resource', 'resource')).toBe('');
  expect(withoutRoot('resources.a', 'resource')).toBe('resources.a');
});

it("a conflict with another user's change is distinguished from other refusals", () => {
  expect(isStale(refusal(412))).toBe(true);
  expect(isStale(refusal(409))).toBe(false);
  expect(isStale(new Error('x'))).toBe(false);
  expect(toFieldErrors(new Error('x'), 'resource')).toEqual([]);
});
