import { Turns } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { type AdminCall, checkAdminCall } from '@flotilla/proto/commands';
import { AdminCallError, type AdminResult, askEnvoy, tooLarge } from '../envoy-admin/ask-envoy.ts';
import { askParts, readParts } from '../envoy-admin/ask-parts.ts';
import type { ServiceHost, ServiceSocket } from '../host/index.ts';
import type { CommandOutcome } from './outcome.ts';

/** Envoy must have answered completely after this time, whatever it is asked. */
const TIME_MAX_MS = 10_000;
/** The result contains little more than the body, and must be below the limit of results. */
const BODY_MAX_BYTES = 2 * 1024 * 1024 - 4096;
/** Answers are read into memory, so those of one service are read one at a time. */
const WAITING_MAX = 8;

const turnsOfHosts = new WeakMap<ServiceHost, Map<string, Turns>>();

/**
 * Runs a PROXY command. The controller has checked the path, and the agent checks it again: whether the command was a read or
 * a write when it was authorised is in `operation`.
 */
export async function callProxy(
  { serviceId }: fleet.Command,
  operation: AdminCall['operation'],
  { host, payload, signal }: { host: ServiceHost; payload: Readonly<Record<string, unknown>>; signal: AbortSignal },
): Promise<CommandOutcome> {
  const checked = checkAdminCall(payload);
  if (!checked.ok) {
    const { at, message } = checked.error;
    return { outcome: 'refused', code: 'proxy.not_allowed', message: `${at.join('.')}: ${message}` };
  }
  if (checked.value.operation !== operation) {
    return { outcome: 'refused', code: 'proxy.not_allowed', message: 'path: is for another operation' };
  }
  const socket = host.adminSocket(serviceId);
  if (!socket) {
    const message = 'this host has no running Envoy of the service; start the service';
    return { outcome: 'failed', code: 'service.not_running', message };
  }
  const turns = findTurns(host, serviceId);
  if (!(await turns.take(signal))) {
    signal.throwIfAborted();
    return { outcome: 'refused', code: 'proxy.busy', message: 'too many requests to this Envoy are waiting' };
  }
  try {
    return await ask(socket, checked.value, signal);
  } finally {
    turns.give();
  }
}

async function ask(socket: ServiceSocket, call: AdminCall, signal: AbortSignal): Promise<CommandOutcome> {
  const timeLimit = AbortSignal.timeout(TIME_MAX_MS);
  const either = AbortSignal.any([signal, timeLimit]);
  try {
    const answer =
      call.path === '/envoy'
        ? await askParts(socket, { parts: readParts(call.queries), mostBytes: BODY_MAX_BYTES }, either)
        : await askEnvoy(socket, call, either);
    return { outcome: 'done', result: toResult(answer) };
  } catch (error) {
    if (error instanceof AdminCallError) return { outcome: 'failed', code: error.code, message: error.message };
    if (signal.aborted || !timeLimit.aborted) throw error;
    const message = `Envoy has not answered ${call.path} within ${TIME_MAX_MS / 1000} s`;
    return { outcome: 'failed', code: 'proxy.timeout', message };
  }
}

function toResult({ path, statusCode, body }: AdminResult) {
  if (Buffer.byteLength(JSON.stringify(body)) > BODY_MAX_BYTES) throw tooLarge(path, BODY_MAX_BYTES);
  return { path, status_code: statusCode, body };
}

function findTurns(host: ServiceHost, serviceId: string): Turns {
  const ofHost = turnsOfHosts.get(host) ?? new Map<string, Turns>();
  turnsOfHosts.set(host, ofHost);
  const turns = ofHost.get(serviceId) ?? new Turns({ atOnce: 1, waiting: WAITING_MAX });
  ofHost.set(serviceId, turns);
  return turns;
}
