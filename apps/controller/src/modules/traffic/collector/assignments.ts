import type { Db } from '@flotilla/db';
import { LRUCache } from 'lru-cache';
import { isAssigned } from './assignment-store.ts';
import type { BatchPlace } from './messages.ts';

const KNOWN_MAX = 20_000;
const KNOWN_MS = 15_000;

/** Remembers for some seconds which client runs which service. */
export class Assignments {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, { readonly is: boolean; readonly atMs: number }>({ max: KNOWN_MAX });

  constructor({ db, now }: { readonly db: Db; readonly now: () => number }) {
    this.#db = db;
    this.#now = now;
  }

  async has({ client, service, project }: BatchPlace): Promise<boolean> {
    const key = `${client} ${service} ${project}`;
    const known = this.#known.get(key);
    if (known !== undefined && Math.abs(this.#now() - known.atMs) < KNOWN_MS) return known.is;
    const is = await isAssigned(this.#db, { client, service, project });
    this.#known.set(key, { is, atMs: this.#now() });
    return is;
  }
}
