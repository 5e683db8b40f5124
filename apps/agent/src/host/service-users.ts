import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, makeFolder, readFileIfThere, SerialQueue, writeFileAtomically } from '@flotilla/kit';
import {
  type IdMap,
  isNarrowUid,
  isReservedUid,
  isWide,
  pickIdentity,
  readMappedIds,
  type ServiceIdentity,
} from './identity.ts';
import { findProcessesOf } from './user-processes.ts';

export interface ServiceUsersOptions {
  readonly dataDir: string;
  readonly logger: Logger;
  /** The mapped ids of this user namespace. Default: from the kernel. */
  readonly mapped?: IdMap;
}

/**
 * The users that this agent has ever given to services, in `users.json`. A number belongs to one service and is never
 * reused: the next service would get files, shared memory and other things that the first left outside of its folders.
 */
export class ServiceUsers {
  readonly #options: ServiceUsersOptions;
  readonly #mapped: IdMap;
  readonly #writing = new SerialQueue();
  readonly #file: string;
  #reading: Promise<Map<string, number>> | undefined;
  #known: Map<string, number> = new Map();

  constructor(options: ServiceUsersOptions) {
    this.#options = options;
    this.#mapped = options.mapped ?? readMappedIds();
    this.#file = join(options.dataDir, 'users.json');
  }

  /** True for a number that this or another agent on this host may give to services. */
  isServiceUid(uid: number): boolean {
    if (isReservedUid(uid)) return true;
    return [...this.#known.values()].includes(uid) || (!isWide(this.#mapped) && isNarrowUid(uid));
  }

  /**
   * The user of a service, the same every time; `known` is the one that its own state names. On disk when it resolves. Undefined where the
   * agent is not root: then everything runs as the agent's own user. Rejects where no number is left.
   */
  async identityOf(serviceKey: string, known: number | undefined): Promise<ServiceIdentity | undefined> {
    if (process.getuid?.() !== 0) return undefined;
    await this.read();
    return this.#writing.run(async () => {
      const given = known ?? this.#known.get(serviceKey);
      if (given !== undefined) {
        // On a full disk an existing service is still held
        await this.#note(serviceKey, given).catch((error: unknown) => this.#warn(error));
        return { uid: given, gid: given };
      }
      const taken = new Set([...this.#known.values(), ...readAccounts()]);
      const seed = `${this.#options.dataDir}\0${serviceKey}`;
      let picked = pickIdentity(seed, taken, this.#mapped);
      while (picked && findProcessesOf(picked.uid).length > 0) {
        taken.add(picked.uid);
        picked = pickIdentity(seed, taken, this.#mapped);
      }
      if (picked) await this.#note(serviceKey, picked.uid);
      return picked;
    });
  }

  /** All users given so far, by the key of their service. */
  async read(): Promise<ReadonlyMap<string, number>> {
    if (!this.#reading) this.#reading = this.#read();
    this.#known = await this.#reading;
    return this.#known;
  }

  async #note(serviceKey: string, uid: number): Promise<void> {
    if (this.#known.get(serviceKey) === uid) return;
    this.#known.set(serviceKey, uid);
    await makeFolder(this.#options.dataDir, 0o711);
    await writeFileAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#known)));
  }

  async #read(): Promise<Map<string, number>> {
    const bytes = await readFileIfThere(this.#file);
    try {
      const entries = Object.entries(JSON.parse(bytes?.toString() ?? '{}') as Record<string, unknown>);
      return new Map(entries.flatMap(([key, uid]) => (typeof uid === 'number' ? [[key, uid] as const] : [])));
    } catch (error) {
      this.#warn(error);
      return new Map();
    }
  }

  #warn(error: unknown): void {
    this.#options.logger.error({ event: 'users.file_failed', path: this.#file, err: error }, 'users of services');
  }
}

/** Numbers of accounts on this host. */
function readAccounts(): number[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2]));
  } catch {
    return [];
  }
}
