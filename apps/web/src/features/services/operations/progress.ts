import type { CommandItem, CommandResult } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.progress;

/** `with errors`: done, but part of the configuration does not run there. */
export type ShownOutcome = CommandResult['outcome'] | 'with errors';

export interface TargetProgress {
  readonly clientId: string;
  readonly clientName: string;
  readonly commandId: string | null;
  readonly outcome: ShownOutcome;
  /** Current step, as the client reports it. */
  readonly step: string | undefined;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly result: unknown;
}

/** Returns the outcome of each target so far: the answer to the command, updated with the list of commands. */
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

/** Marks completed commands on nodes with errors. `errors`: the reason by client ID. */
export function markErrors(
  progress: readonly TargetProgress[],
  erring: ReadonlyMap<string, string | null>,
): readonly TargetProgress[] {
  return progress.map((target) => {
    if (target.outcome !== 'done' || !erring.has(target.clientId)) return target;
    return { ...target, outcome: 'with errors', error: erring.get(target.clientId) ?? undefined };
  });
}

/** Whether the outcome is final. `pending` counts as final: it ends only when the client reconnects. */
export function isEnded(outcome: ShownOutcome): boolean {
  return outcome !== 'running' && outcome !== 'pending';
}

export function isMoving(progress: readonly TargetProgress[]): boolean {
  return progress.some(({ outcome }) => outcome === 'running');
}

const ORDER = ['failed', 'refused', 'with errors', 'unknown', 'running', 'pending', 'done'] as const;

/** Summarizes targets, problems first: `2 failed, 1 running, 9 done`. */
export function summarize(progress: readonly TargetProgress[]): string {
  return ORDER.map((outcome) => [outcome, progress.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

/** Sorts targets with problems first, then by name. */
export function sortProgress(progress: readonly TargetProgress[]): TargetProgress[] {
  return progress.toSorted(
    (a, b) =>
      ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) ||
      a.clientName.localeCompare(b.clientName, undefined, { numeric: true }),
  );
}

const EXPLANATIONS: Readonly<Record<ShownOutcome, string>> = {
  'with errors': text.withErrors,
  done: text.done,
  failed: text.failed,
  refused: text.refused,
  pending: text.pending,
  running: text.running,
  unknown: text.unknown,
};

export function explainOutcome(outcome: ShownOutcome): string {
  return EXPLANATIONS[outcome];
}
