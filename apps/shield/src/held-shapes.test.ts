import { expect, it } from 'vitest';
import { holdShapes } from './held-shapes.ts';

it('the sample is a valid policy in both formats, so a thread cannot fail on it after it has read a bundle', () => {
  expect(holdShapes).not.toThrow();
});
