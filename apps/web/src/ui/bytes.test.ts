import { expect, it } from 'vitest';
import { formatBytes } from './bytes.ts';

it('sizes have at most three digits', () => {
  expect([0, 1023, 1536, -1536, 25_276_510_208, 2 ** 50].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '-1.5 KiB',
    '23.5 GiB',
    '1.0 PiB',
  ]);
});
