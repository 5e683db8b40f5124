import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetOfOne } from '@flotilla/testkit';

/** Builds the bundle, because the stories run the shipped programs. Returns what closes the stages that workers share. */
export default async function setUpRun(): Promise<() => Promise<void>> {
  const { ensureBuilt } = await import('../../scripts/build.mjs');
  ensureBuilt();
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-stages-'));
  process.env.FLOTILLA_SHARED_STAGES = folder;
  return async () => {
    const names = await readdir(folder);
    const left = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    await Promise.all(left.map((text) => FleetOfOne.closeLeft(JSON.parse(text))));
    await rm(folder, { recursive: true });
  };
}
