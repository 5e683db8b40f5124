import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CoalescedWork,
  isProcessRef,
  isSameProcess,
  type ProcessRef,
  readProcess,
  signalProcess,
  sleep,
  writeFileAtomically,
} from '@flotilla/kit';

const STOP_GRACE_MS = 10_000;

/** Ends programs that a killed `flotilla up` left running, except proxies: the next agent takes them over. */
export async function stopLeftovers(dataDir: string): Promise<void> {
  for (const child of await readChildren(dataDir)) {
    if (!signalProcess(child, 'SIGTERM')) continue;
    const deadline = Date.now() + STOP_GRACE_MS;
    while (isSameProcess(child) && Date.now() < deadline) await sleep(50);
    signalProcess(child, 'SIGKILL');
  }
}

/** Records the programs that `flotilla up` has started, so that the next start can end them after a crash. */
export class ChildRegistry {
  readonly #dataDir: string;
  readonly #onFailure: (error: Error) => void;
  readonly #pids = new Map<string, number>();
  readonly #writing = new CoalescedWork(() => this.#write().catch((error: Error) => this.#onFailure(error)));

  constructor(dataDir: string, onFailure: (error: Error) => void) {
    this.#dataDir = dataDir;
    this.#onFailure = onFailure;
  }

  /** Replaces the previous process of the program. */
  set(program: string, pid: number): void {
    this.#pids.set(program, pid);
    this.#writing.request();
  }

  /** Resolves when all writes are done or have failed. */
  settle(): Promise<void> {
    return this.#writing.settle();
  }

  async #write(): Promise<void> {
    const children = [...this.#pids.values()].map(readProcess).filter((one) => one !== undefined);
    await writeFileAtomically(childrenFile(this.#dataDir), JSON.stringify(children));
  }
}

function childrenFile(dataDir: string): string {
  return join(dataDir, 'up.pids');
}

/** Returns no processes for a damaged file, or one of an earlier version. */
async function readChildren(dataDir: string): Promise<readonly ProcessRef[]> {
  try {
    const read: unknown = JSON.parse(await readFile(childrenFile(dataDir), 'utf8'));
    return Array.isArray(read) ? read.filter(isProcessRef) : [];
  } catch {
    return [];
  }
}
