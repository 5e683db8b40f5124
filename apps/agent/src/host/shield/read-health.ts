import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { ServiceSocket } from '../service-socket.ts';
import { isRecord, readAdmin } from './read-admin.ts';

const TIMEOUT_MS = 1_000;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
const PROBLEMS_MAX = 10;
const PROBLEM_MAX_CHARS = 500;

const STATES: ReadonlyMap<unknown, fleet.SelfTest> = new Map([
  ['ok', fleet.SelfTest.OK],
  ['unknown', fleet.SelfTest.UNKNOWN],
  ['failing', fleet.SelfTest.FAILING],
]);

/**
 * Reads the filter's self-test. Returns undefined if there is no response or an older filter has sent it.
 */
export function readShieldHealth(adminSocket: ServiceSocket): Promise<fleet.ShieldHealth | undefined> {
  return readAdmin(adminSocket, {
    path: '/configz',
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_MAX_BYTES,
    parse: parseShieldHealth,
  });
}

export function parseShieldHealth(value: unknown): fleet.ShieldHealth | undefined {
  const test = isRecord(value) ? value.self_test : undefined;
  const state = isRecord(test) ? STATES.get(test.state) : undefined;
  if (!isRecord(test) || state === undefined) return undefined;
  const reported: readonly unknown[] = Array.isArray(test.problems) ? test.problems : [];
  const problems = reported
    .filter((one) => typeof one === 'string')
    .slice(0, PROBLEMS_MAX)
    .map((one) => one.slice(0, PROBLEM_MAX_CHARS).toWellFormed());
  return create(fleet.ShieldHealthSchema, { selfTest: state, problems });
}
