import { type CopyProgress, copyEvents, type EventStore } from '@flotilla/event-store';
import { createId } from '@flotilla/kit';
import type { ProgressFile } from './progress-file.ts';
import { type Difference, findDifferences } from './verify.ts';

export interface MoveDeps {
  readonly from: EventStore;
  readonly to: EventStore;
  /** The two stores, without credentials. */
  readonly between: string;
  readonly file: Pick<ProgressFile, 'read' | 'write' | 'delete'>;
  readonly onProgress: (progress: CopyProgress) => void;
  /** False: a controller runs, which may add events to the source. */
  readonly isQuiet: () => Promise<boolean>;
  readonly signal: AbortSignal;
  readonly batchEvents?: number;
}

export type MoveOutcome =
  | { readonly kind: 'moved'; readonly events: number; readonly projects: number }
  /** The target had events before the copy began. */
  | { readonly kind: 'not_empty'; readonly events: number }
  /** A controller was started before the copy was complete. */
  | { readonly kind: 'disturbed' }
  | { readonly kind: 'different'; readonly differences: readonly Difference[] };

/**
 * Copies all events and compares both stores by project and day. An interrupted copy continues. The source is only read: its owner deletes it
 * once the other one is in use.
 */
export async function moveBetween(deps: MoveDeps): Promise<MoveOutcome> {
  const { from, to, between, file, onProgress, signal, batchEvents } = deps;
  const begun = await file.read(between);
  const { events: present } = await to.health();
  if (begun === undefined && present > 0) return { kind: 'not_empty', events: present };
  const name = begun?.name ?? createId();
  if (begun === undefined) await file.write({ between, name, progress: null });
  const done = await copyEvents({
    name,
    from,
    to,
    ...(begun?.progress && { resume: begun.progress }),
    ...(batchEvents !== undefined && { batchEvents }),
    signal,
    save: async (progress) => {
      await file.write({ between, name, progress });
      onProgress(progress);
    },
  });
  if (!(await deps.isQuiet())) return { kind: 'disturbed' };
  const projects = await from.projects();
  const differences = await findDifferences({ from, to }, projects);
  if (differences.length > 0) return { kind: 'different', differences };
  await file.delete();
  return { kind: 'moved', events: done?.events ?? 0, projects: projects.length };
}
