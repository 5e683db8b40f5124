import { afterEach, expect, it, vi } from 'vitest';
import { digestApiKey } from '../../../../../../packages/policy/src/index.ts';
import { digestKey, generateKey } from './sha256.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each(['demo-key', 'schlüssel', '😀', ''])(
  'the digest of %j equals that of the filter, with and without the Web Crypto API',
  async (key) => {
    expect(await digestKey(key)).toBe(digestApiKey(key));
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    expect(await digestKey(key)).toBe(digestApiKey(key));
  },
);

it('generated keys fit into headers and URLs, and no two are the same', () => {
  const keys = Array.from({ length: 200 }, generateKey);
  for (const key of keys) expect(key).toMatch(/^flk_[A-Za-z0-9_-]{43}$/);
  expect(new Set(keys).size).toBe(200);
});
