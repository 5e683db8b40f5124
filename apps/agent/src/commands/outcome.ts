import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

/** The controller truncates larger results, so an error is reported instead. */
const RESULT_MAX_BYTES = 2 * 1024 * 1024;

/** How a command ended, before it becomes a message. */
export type CommandOutcome =
  | { readonly outcome: 'done'; readonly result?: unknown }
  | {
      readonly outcome: 'failed' | 'refused' | 'unknown';
      readonly code: string;
      readonly message: string;
      readonly result?: unknown;
    };

const OUTCOMES = {
  done: fleet.Outcome.DONE,
  failed: fleet.Outcome.FAILED,
  refused: fleet.Outcome.REFUSED,
  unknown: fleet.Outcome.UNKNOWN,
} as const;

export function toCommandResult(commandId: string, ended: CommandOutcome, durationMs: number): fleet.CommandResult {
  const resultJson = ended.result === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(ended.result));
  if (resultJson.length > RESULT_MAX_BYTES) {
    const message = `the result has ${resultJson.length} bytes, more than the limit of ${RESULT_MAX_BYTES}; request less`;
    return toCommandResult(commandId, { outcome: 'failed', code: 'command.result_too_large', message }, durationMs);
  }
  return create(fleet.CommandResultSchema, {
    commandId,
    outcome: OUTCOMES[ended.outcome],
    durationMs: Math.max(0, Math.round(durationMs)),
    resultJson,
    ...(ended.outcome !== 'done' && { errorCode: ended.code, errorMessage: ended.message }),
  });
}
