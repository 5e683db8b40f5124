import type { Closable } from '@flotilla/kit';
import { TrialProcess } from './trial-process.ts';

const SHARED = { charsMax: 64 * 1024 * 1024 };

/** Separate processes: people wait for a trial at their screens, and minutes for a replay. */
export class TrialProcesses implements Closable {
  readonly tries = new TrialProcess({
    ...SHARED,
    deadlineMs: 20_000,
    memoryMb: 512,
    jobsMax: 32,
    jobsPerPartyMax: 8,
  });
  readonly replays = new TrialProcess({
    ...SHARED,
    deadlineMs: 60_000,
    memoryMb: 768,
    jobsMax: 8,
    jobsPerPartyMax: 2,
  });

  async close(): Promise<void> {
    await Promise.all([this.tries.close(), this.replays.close()]);
  }
}
