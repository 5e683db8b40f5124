import { describe, expect, it } from 'vitest';
import { containsTitle } from './test-titles.ts';

const SOURCE = `describe('a filter', () => {
  it('keeps a file that isn\\'t there', () => {});
  it.each([1, 2])('serves %i of $name requests (attack 3)', () => {});
  it.each(['a'])('%s', () => {});
});`;

describe('the titles in a test file', () => {
  it.each([
    "a filter keeps a file that isn't there",
    'a filter serves 12 of many requests (attack 3)',
    "keeps a file that isn't there",
  ])('contain %s', (title) => {
    expect(containsTitle(SOURCE, title)).toBe(true);
  });

  it.each([
    'a filter serves nobody',
    'a filter keeps a file',
    'a filter serves 12 of many requests',
    'anything',
    'never keeps a file that is not there',
  ])('do not contain %s', (title) => {
    expect(containsTitle(SOURCE, title)).toBe(false);
  });
});
