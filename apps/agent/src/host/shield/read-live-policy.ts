import type { ServiceSocket } from '../service-socket.ts';
import { isRecord, readAdmin } from './read-admin.ts';

const TIMEOUT_MS = 2_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Reads the digest of the bundle that the filter reports as running. Returns undefined if the filter does not answer, or
 * neither serves nor is on standby yet.
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
 * Reads the name of the serving unit, as this unit reports it. Returns undefined if no serving filter answers.
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

/** Returns undefined for a version that is not a digest, because the value is stored and reported to the controller. */
export function parseLivePolicy(answer: unknown): string | undefined {
  if (!isRecord(answer) || answer.duty === 'starting') return undefined;
  const { version } = answer;
  return typeof version === 'string' && DIGEST.test(version) ? version : undefined;
}
