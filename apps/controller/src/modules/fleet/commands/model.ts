import type { CommandOutcome } from '@flotilla/contract';
import { fleet } from '@flotilla/proto';
import type { CommandStatus } from './tables.ts';

/** Outbox topics of new commands and of ended commands. */
export const COMMANDS_CREATED = 'commands.created';
export const COMMANDS_FINISHED = 'commands.finished';

/** Statuses of commands without an outcome. */
export const UNFINISHED: readonly CommandStatus[] = ['pending', 'sent', 'running'];

/**
 * The status in answers: a command that was sent to a stream, or will be at once, counts as running. Pending commands
 * wait for their client to reconnect.
 */
export function toOutcome(status: CommandStatus, isClientConnected: boolean): CommandOutcome {
  if (status === 'pending') return isClientConnected ? 'running' : 'pending';
  return status === 'sent' ? 'running' : status;
}

export interface Finding {
  readonly status: 'done' | 'failed' | 'refused' | 'unknown';
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly result: unknown;
}

/** A larger result is not stored. */
export const RESULT_MAX_BYTES = 4 * 1024 * 1024;

/** Reads an agent's result. An invalid one counts as failed, with an explanation. */
export function readResult(result: fleet.CommandResult): Finding {
  const error = {
    errorCode: cleanText(result.errorCode, 128) || 'command.agent',
    errorMessage: cleanText(result.errorMessage, 8192) || 'the client gave no reason',
  };
  const parsed = parseResult(result.resultJson);
  switch (result.outcome) {
    case fleet.Outcome.DONE:
      return parsed.ok
        ? { status: 'done', errorCode: null, errorMessage: null, result: parsed.value }
        : { status: 'failed', errorCode: 'command.agent', errorMessage: parsed.reason, result: null };
    case fleet.Outcome.FAILED:
      return { status: 'failed', ...error, result: parsed.ok ? parsed.value : null };
    case fleet.Outcome.REFUSED:
      return { status: 'refused', ...error, result: parsed.ok ? parsed.value : null };
    case fleet.Outcome.UNKNOWN:
      return { status: 'unknown', ...error, result: null };
    default:
      return {
        status: 'failed',
        errorCode: 'command.agent',
        errorMessage: 'the client answered without an outcome',
        result: null,
      };
  }
}

function parseResult(bytes: Uint8Array): { ok: true; value: unknown } | { ok: false; reason: string } {
  if (bytes.length === 0) return { ok: true, value: null };
  if (bytes.length > RESULT_MAX_BYTES)
    return { ok: false, reason: `the result is larger than ${RESULT_MAX_BYTES} bytes` };
  try {
    return { ok: true, value: cleanJson(JSON.parse(Buffer.from(bytes).toString('utf8')), 0) };
  } catch {
    return { ok: false, reason: 'the result of the client is not JSON' };
  }
}

/** PostgreSQL's text and jsonb accept neither NUL nor lone surrogates, and an agent may send anything. */
export function cleanText(text: string, max = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\u0000', '').slice(0, max).toWellFormed();
}

const DEPTH_MAX = 64;

function cleanJson(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new RangeError('nested too deeply');
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth + 1)]));
}
