import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseUpOptions } from './options.ts';

it('the folder of the binaries is an absolute path, because proxies run in other folders', () => {
  const cacheOf = (FLOTILLA_CACHE?: string) => {
    const options = parseUpOptions(['--data', 'here'], { FLOTILLA_CACHE });
    return options.ok ? options.value.envoyCacheDir : options.error;
  };
  expect(cacheOf('/c')).toBe('/c/envoy');
  expect(cacheOf('c')).toBe(resolve('c/envoy'));
  for (const unsaid of ['', undefined]) expect(cacheOf(unsaid)).toBe(join(resolve('here'), 'envoy'));
});
