import { type ApiKeyOptions, digestApiKey, type KeyLimit } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';
import { KeySources } from './key-sources.ts';

/**
 * The limit of the presented key, whether or not the request is allowed. For explanations only: the time is linear in
 * the number of keys.
 */
export function findKeyLimit({ sources, keys }: ApiKeyOptions, request: RequestView): KeyLimit | null {
  const key = new KeySources(sources).read(request);
  if (key === undefined || key === '') return null;
  const digest = digestApiKey(key);
  return keys.find(({ sha256 }) => sha256 === digest)?.limit ?? null;
}
