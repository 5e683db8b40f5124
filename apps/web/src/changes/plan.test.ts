import { expect, it } from 'vitest';
import { ApiError } from '../api/index.ts';
import { isStale, toFieldErrors, withoutRoot } from './plan.ts';

const refusal = (status: number) => new ApiError(status, { code: 'x', message: 'x', request_id: 'x' });

it('says paths of a refused write as paths within the document', () => {
  expect(withoutRoot('resource.a.b[0]', 'resource')).toBe('a.b[0]');
  expect(withoutRoot('resource["odd key"]', 'resource')).toBe('["odd key"]');
  expect(withoutRoot('resource', 'resource')).toBe('');
  expect(withoutRoot('resources.a', 'resource')).toBe('resources.a');
});

it('tells a document that somebody else has changed from other refusals', () => {
  expect(isStale(refusal(412))).toBe(true);
  expect(isStale(refusal(409))).toBe(false);
  expect(isStale(new Error('x'))).toBe(false);
  expect(toFieldErrors(new Error('x'), 'resource')).toEqual([]);
});
