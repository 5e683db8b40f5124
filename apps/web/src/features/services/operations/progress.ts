import { texts } from '../../../texts/index.ts';
import type { CommandItem, CommandResult } from '../types.ts';

const text = texts.services.operations.progress;

export interface TargetProgress {
  readonly clientId: string;
  readonly clientName: string;
  readonly commandId: string | null;
  readonly outcome: CommandResult['outcome'];
  /** What the client is doing, in its own words. */
  readonly step: string | undefined;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly result: unknown;
}

/** What became of each target so far: the answer to the order, brought up to date by what is known of the commands. */
export function deriveProgress(
  results: readonly CommandResult[],
  commands: readonly CommandItem[],
): readonly TargetProgress[] {
  const byId = new Map(commands.map((command) => [command.id, command]));
  return results.map((result) => {
    const command = result.command_id === null ? undefined : byId.get(result.command_id);
    // The answer may be newer than the list.
    const now = command && !isEnded(result.outcome) ? command : result;
    return {
      clientId: result.client_id,
      clientName: result.client_name ?? result.client_id,
      commandId: result.command_id,
      outcome: now.outcome,
      step: command?.step ?? undefined,
      error: now.error?.message,
      durationMs: now.duration_ms,
      result: result.result,
    };
  });
}

/** `pending` ends only when the client is back: nothing more happens while it is away. */
export function isEnded(outcome: CommandResult['outcome']): boolean {
  return outcome !== 'running' && outcome !== 'pending';
}

export function isMoving(progress: readonly TargetProgress[]): boolean {
  return progress.some(({ outcome }) => outcome === 'running');
}

const ORDER = ['failed', 'refused', 'unknown', 'running', 'pending', 'done'] as const;

/** `2 failed, 1 running, 9 done`: what needs a look first. */
export function summarize(progress: readonly TargetProgress[]): string {
  return ORDER.map((outcome) => [outcome, progress.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

/** What is wrong first, then by name. */
export function sortProgress(progress: readonly TargetProgress[]): TargetProgress[] {
  return progress.toSorted(
    (a, b) =>
      ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) ||
      a.clientName.localeCompare(b.clientName, undefined, { numeric: true }),
  );
}

const EXPLANATIONS: Readonly<Record<CommandResult['outcome'], string>> = {
  done: text.done,
  failed: text.failed,
  refused: text.refused,
  pending: text.pending,
  running: text.running,
  unknown: text.unknown,
};

export function explainOutcome(outcome: CommandResult['outcome']): string {
  return EXPLANATIONS[outcome];
}
