import type { LogEntry } from '@flotilla/access-log';
import type { Bits64 } from '@flotilla/event-store/chunk';
import type { Identity, ReadRequest, SensitiveKind } from '@flotilla/inventory';
import { isProbe, isStaticPath } from './path-signs.ts';
import { RecentMap } from './recent-map.ts';
import type { OperationFacts } from './request-facts.ts';

/** The name of a path, as what was learned says at the moment. */
export interface PathName {
  readonly identity: Identity;
  readonly pii: readonly SensitiveKind[];
  readonly isProbe: boolean;
  /** The value that the path is about; empty if there is none. */
  readonly object: string;
  /** The keyed hash of `object`, from the first use. */
  objectHash: Bits64 | undefined;
  /** Found at the first use. */
  operation: OperationFacts | undefined;
  wasConfirmed: boolean;
}

/** A path as it was requested, with a method, a host and whatever else names an operation. Requests that are alike share it. */
export class Target {
  /** Where it was served: other places may have other routes. */
  readonly place: string;
  readonly method: string;
  readonly authority: string;
  readonly path: string;
  readonly requestContentType: string;
  readonly graphqlOperation: string;
  readonly protocol: string;
  /** Undefined for a connection, which is no request. */
  readonly read: ReadRequest | undefined;
  readonly isProbe: boolean;
  readonly isStatic: boolean;
  /** Answered requests that the learner does not have yet. */
  waiting = 0;
  name: PathName | undefined;
  /** The settlement that the name is of. */
  namedAt = -1;

  constructor(entry: LogEntry, place: string, read: ReadRequest | undefined) {
    this.place = place;
    this.method = entry.method;
    this.authority = entry.authority;
    this.path = entry.path;
    this.requestContentType = entry.requestContentType;
    this.graphqlOperation = entry.graphqlOperation;
    this.protocol = entry.protocol;
    this.read = read;
    this.isProbe = isProbe(entry.path);
    this.isStatic = isStaticPath(entry.path);
  }

  isOf(entry: LogEntry, place: string): boolean {
    return (
      this.place === place &&
      this.method === entry.method &&
      this.authority === entry.authority &&
      this.requestContentType === entry.requestContentType &&
      this.graphqlOperation === entry.graphqlOperation &&
      this.protocol === entry.protocol
    );
  }
}

interface Kinds {
  /** Requests of one path that differ in place, method, host or protocol. */
  readonly list: Target[];
  isRemembered: boolean;
}

const PATHS_REMEMBERED = 8192;
const KINDS_PER_PATH = 16;

/** The targets of a batch, and those of former batches that came more than once in one. Most paths with an id come once: remembering them costs more than it saves. */
export class Targets {
  readonly #recent = new RecentMap<string, Kinds>(PATHS_REMEMBERED);
  #batch = new Map<string, Kinds>();

  find(entry: LogEntry, place: string): Target | undefined {
    const inBatch = this.#batch.get(entry.path);
    const kinds = inBatch ?? this.#recent.get(entry.path);
    if (kinds === undefined) return undefined;
    const target = kinds.list.find((one) => one.isOf(entry, place));
    if (inBatch === undefined) this.#batch.set(entry.path, kinds);
    else if (target !== undefined && !kinds.isRemembered) {
      kinds.isRemembered = true;
      this.#recent.set(entry.path, kinds);
    }
    return target;
  }

  /** Adds a target that `find` did not find. */
  add(entry: LogEntry, place: string, read: ReadRequest | undefined): Target {
    const target = new Target(entry, place, read);
    const known = this.#batch.get(entry.path);
    if (known !== undefined && known.list.length < KINDS_PER_PATH) known.list.push(target);
    else this.#batch.set(entry.path, { list: [target], isRemembered: false });
    return target;
  }

  endBatch(): void {
    this.#batch = new Map();
  }

  clear(): void {
    this.#batch = new Map();
    this.#recent.clear();
  }
}
