import { isRecord, readAdmin } from './read-admin.ts';

const TIMEOUT_MS = 2_000;

/** The digest of the bundle that the filter says it runs; undefined when it does not answer. */
export function readLivePolicy(adminSocket: string): Promise<string | undefined> {
  return readAdmin(adminSocket, {
    path: '/configz',
    timeoutMs: TIMEOUT_MS,
    parse: (answer) => (isRecord(answer) && typeof answer.version === 'string' ? answer.version : undefined),
  });
}
