import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { furnish, type Places } from './furnish.ts';
import { Stage } from './stage.ts';

export interface FurnishedStage {
  readonly stage: Stage;
  readonly places: Places;
}

let shared: Promise<FurnishedStage> | undefined;

/**
 * Returns the furnished stage of this worker, which stays open until the run ends: starting one takes as much processor
 * time as twenty screens. Its records stay for the next file: a test may add records under names of its own, and changes
 * none of those that `furnish` lists. A test that must change what others see opens its own stage.
 */
export function shareFurnishedStage(): Promise<FurnishedStage> {
  shared ??= open();
  return shared;
}

async function open(): Promise<FurnishedStage> {
  const stage = await Stage.open();
  await noteForTearDown(stage);
  return { stage, places: await furnish(stage) };
}

/** Notes what to close. Vitest does not notify a worker before it ends, so the set-up of the run closes the noted stages (run.setup.ts). */
async function noteForTearDown({ fleet }: Stage): Promise<void> {
  const folder = process.env.FLOTILLA_SHARED_STAGES ?? '';
  await writeFile(join(folder, `${fleet.trace.pid}.json`), JSON.stringify(fleet.trace));
}
