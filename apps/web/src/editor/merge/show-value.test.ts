import { expect, it } from 'vitest';
import { showValue } from './show-value.ts';

it('short values are on one line, long ones are indented and truncated', () => {
  expect(showValue({ a: 1 })).toEqual({ text: '{"a":1}', cut: undefined, isPrivate: false });
  const long = showValue({ list: Array.from({ length: 50 }, (_, index) => `entry ${index}`) });
  expect(long.text).toContain('\n  "list"');
  expect(long.cut?.split('\n').length).toBeLessThanOrEqual(6);
});

it('the placeholder of a private value is shown as private', () => {
  expect(showValue({ set: true, updated_at: '2026-01-01T00:00:00Z' })).toMatchObject({
    text: '(private)',
    isPrivate: true,
  });
  expect(showValue({ set: true, name: 'x' }).isPrivate).toBe(false);
});
