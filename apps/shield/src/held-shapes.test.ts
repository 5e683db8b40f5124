import { expect, it } from 'vitest';
import { holdShapes } from './held-shapes.ts';

it('is a valid policy in both forms: a thread that read a bundle must not fail behind it', () => {
  expect(holdShapes).not.toThrow();
});
