import { expect, it } from 'vitest';
import {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
} from '../../../../../packages/policy/src/engines/index.ts';
import { REASON_WORDS, reasonWords } from './reason-words.ts';

it('every reason of the filter has a description, and no other reason has one', () => {
  const reasons = [
    ...Object.values(ENGINE_REASONS).flat(),
    ...BODY_REASONS,
    ENGINE_ERROR_REASON,
    ENGINE_TIMEOUT_REASON,
  ];
  expect(Object.keys(REASON_WORDS).toSorted()).toEqual(reasons.toSorted());
  expect(reasonWords('constructor')).toBe('');
});
