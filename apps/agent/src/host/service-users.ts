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
  /** The mapped ids of this user namespace. Default: those of the kernel. */
  readonly mapped?: IdMap;
}

/**
 * Assigns users to services and keeps all assignments in `users.json`. A user id is never reused, because the next service would
 * own the files and shared memory that the previous one has left outside its folders.
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

  /** Returns true for a user id that this or another agent on this host may assign to a service. */
  isServiceUid(uid: number): boolean {
    if (isReservedUid(uid)) return true;
    return [...this.#known.values()].includes(uid) || (!isWide(this.#mapped) && isNarrowUid(uid));
  }

  /**
   * Returns the user of a service, which never changes. `known` is the user in the service's state file. The assignment is on
   * disk when this resolves. Returns undefined if the agent is not root, because everything then runs as the agent's user.
   * Rejects if no user id is left.
   */
  async identityOf(serviceKey: string, known: number | undefined): Promise<ServiceIdentity | undefined> {
    if (process.getuid?.() !== 0) return undefined;
    await this.read();
    return this.#writing.run(async () => {
      const assigned = known ?? this.#known.get(serviceKey);
      if (assigned !== undefined) {
        // An existing service must also be held on a full disk.
        await this.#note(serviceKey, assigned).catch((error: unknown) => this.#warn(error));
        return { uid: assigned, gid: assigned };
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

  /** Returns all assigned user ids by the key of their service. */
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
    this.#options.logger.error(
      { event: 'users.file_failed', path: this.#file, err: error },
      'cannot read or write the users of services',
    );
  }
}

/** Returns the user ids of the accounts on this host. */
function readAccounts(): number[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2]));
  } catch {
    return [];
  }
}
