import type { EventStore, ProjectId } from './port.ts';

/** Where a copy is. A copy that was interrupted goes on from the last one that was saved. */
export interface CopyProgress {
  readonly project: string;
  /** The events up to here are in the target; `null` before the first ones. */
  readonly cursor: string | null;
  /** Batches that were copied of this project. */
  readonly batches: number;
  /** Events that were copied of all projects. */
  readonly events: number;
}

export interface CopyOptions {
  /** Names the copy. A copy with another name copies everything again. */
  readonly name: string;
  readonly from: Pick<EventStore, 'projects' | 'exportEvents' | 'completeFrom'>;
  readonly to: Pick<EventStore, 'append' | 'raiseCompleteFrom'>;
  readonly resume?: CopyProgress;
  /** Stores the progress. The copy waits for it. */
  readonly save: (progress: CopyProgress) => Promise<void>;
  readonly batchEvents?: number;
  readonly signal?: AbortSignal;
}

const BATCH_EVENTS = 20_000;

/**
 * Copies every event, oldest first, with its id; the target computes its own rollups. A batch that was copied but not saved as progress is
 * a duplicate for the target, so nothing counts twice. The source must not get events meanwhile: those that are older than the cursor
 * would stay behind.
 */
export async function copyEvents(options: CopyOptions): Promise<CopyProgress | undefined> {
  const { from, to, resume } = options;
  await to.raiseCompleteFrom(await from.completeFrom());
  const projects = [...(await from.projects())].sort();
  let progress = resume;
  for (const project of projects) {
    if (resume !== undefined && project < resume.project) continue;
    const start =
      progress?.project === project ? progress : { cursor: null, batches: 0, events: progress?.events ?? 0 };
    progress = await copyProject(options, { ...start, project });
  }
  return progress;
}

async function copyProject(
  { name, from, to, save, batchEvents = BATCH_EVENTS, signal }: CopyOptions,
  start: CopyProgress & { readonly project: ProjectId },
): Promise<CopyProgress> {
  const { project } = start;
  let progress: CopyProgress = start;
  for (let isLast = false; !isLast; ) {
    signal?.throwIfAborted();
    const { events, nextCursor } = await from.exportEvents(project, { cursor: progress.cursor, limit: batchEvents });
    const last = events.at(-1);
    if (last === undefined) break;
    await to.append(project, { sender: 'copy', epoch: name, sequence: progress.batches, events });
    isLast = nextCursor === null;
    progress = {
      project,
      cursor: `${last.timeMs}.${last.id}`,
      batches: progress.batches + 1,
      events: progress.events + events.length,
    };
    await save(progress);
  }
  return progress;
}
