import { expect, it } from 'vitest';
import { engineLook } from './trial-words.ts';

it.each([
  [{ verdict: 'allow', effect: 'none', status: null }, 'Allows'],
  [{ verdict: 'block', effect: 'blocked', status: 429 }, 'Blocks with 429'],
  [{ verdict: 'block', effect: 'detected', status: 403 }, 'Detected'],
  [{ verdict: 'block', effect: 'not_asked', status: 403 }, 'Not reached, would block'],
  [{ verdict: 'allow', effect: 'not_asked', status: null }, 'Not reached'],
  [{ verdict: 'error', effect: 'error', status: 403 }, 'Failed, allowed'],
  [{ verdict: 'error', effect: 'blocked', status: 403 }, 'Blocks with 403'],
  [{ verdict: 'body', effect: 'none', status: null }, 'Waits for a body'],
] as const)('the result of %j is in words', (engine, word) => {
  expect(engineLook(engine).word).toBe(word);
});
