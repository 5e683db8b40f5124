import type { ServiceSocket } from '../service-socket.ts';
import { isRecord, readAdmin } from './read-admin.ts';

const TIMEOUT_MS = 2_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Reads the digest of the bundle that the filter reports as running. The result is undefined when the filter does not
 * answer, or when it neither serves nor stands by yet.
 */
export function readLivePolicy(adminSocket: ServiceSocket): Promise<string | undefined> {
  return readAdmin(adminSocket, {
    path: '/configz',
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_MAX_BYTES,
    parse: parseLivePolicy,
  });
}

/**
 * Reads the name of the unit that serves, as that unit reports it. The result is undefined when no serving filter
 * answers.
 */
export function readServingUnit(adminSocket: ServiceSocket): Promise<string | undefined> {
  return readAdmin(adminSocket, {
    path: '/configz',
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_MAX_BYTES,
    parse: (answer) =>
      isRecord(answer) && typeof answer.pair === 'string' && answer.duty === 'serving' ? answer.pair : undefined,
  });
}

/** What is not a digest is kept and reported nowhere. */
export function parseLivePolicy(answer: unknown): string | undefined {
  if (!isRecord(answer) || answer.duty === 'starting') return undefined;
  const { version } = answer;
  return typeof version === 'string' && DIGEST.test(version) ? version : undefined;
}
