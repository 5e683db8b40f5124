import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { DocumentCollection, DocumentKey, DocumentSource } from '@flotilla/translate';
import { parseDocumentKey, splitVirtualHostName } from '@flotilla/translate';
import type { Keyring } from '../../../platform/keyring/index.ts';
import {
  type DocumentTextRow,
  findDocumentTexts,
  findVirtualHostTexts,
  openPartsText,
  type Scope,
} from '../../configuration/public.ts';
import { HeldDocument } from './held-document.ts';

/**
 * The documents of one project and version that nodes of this controller use, including private values. Loads and keeps
 * requested documents: the source is read synchronously and then reports what was missing.
 */
export class ScopeDocuments {
  readonly #db: Db;
  readonly #keyring: Keyring;
  readonly #logger: Logger;
  readonly scope: Scope;
  /** undefined: known not to exist. */
  readonly #held = new Map<string, HeldDocument | undefined>();
  /** Route configurations with complete lists of virtual hosts: sorted names. */
  readonly #hosts = new Map<string, string[]>();

  constructor(deps: { db: Db; keyring: Keyring; logger: Logger }, scope: Scope) {
    this.#db = deps.db;
    this.#keyring = deps.keyring;
    this.#logger = deps.logger;
    this.scope = scope;
  }

  /** Repeats `work` until everything that it reads is loaded, once per round of loading. */
  async read<T>(work: (source: DocumentSource) => T): Promise<T> {
    for (;;) {
      const missing = new Set<string>();
      try {
        const result = work(this.#source(missing));
        if (missing.size === 0) return result;
      } catch (error) {
        if (missing.size === 0) throw error;
      }
      await this.#load([...missing]);
    }
  }

  /** Loads the missing ones; undefined for those that do not exist. */
  take(keys: Iterable<DocumentKey>): Promise<ReadonlyMap<DocumentKey, HeldDocument | undefined>> {
    return this.read((source) => {
      for (const key of keys) {
        const parsed = parseDocumentKey(key);
        if (parsed) source.get(parsed.collection, parsed.name);
      }
      return new Map([...keys].map((key) => [key, this.#held.get(key)]));
    });
  }

  /** Reloads the held documents among these keys. Call it with every changed key. */
  async refresh(keys: readonly string[]): Promise<void> {
    const stale = keys.filter((key) => this.#held.has(key));
    for (const key of keys) {
      const routes = routesOf(key);
      if (routes !== undefined && this.#hosts.has(routes) && !stale.includes(key)) stale.push(key);
    }
    if (stale.length > 0) await this.#load(stale);
    for (const key of stale) this.#listHost(key);
  }

  clear(): void {
    this.#held.clear();
    this.#hosts.clear();
  }

  #source(missing: Set<string>): DocumentSource {
    return {
      get: (collection, name) => {
        const key = `${collection}/${name}`;
        if (!this.#held.has(key)) missing.add(key);
        return this.#held.get(key);
      },
      virtualHostsOf: (routes) => {
        const names = this.#hosts.get(routes);
        if (!names) missing.add(`virtual_hosts/${routes}/`);
        return (names ?? []).flatMap((name) => this.#held.get(`virtual_hosts/${name}`) ?? []);
      },
    };
  }

  async #load(keys: readonly string[]): Promise<void> {
    const groups = keys.filter((key) => key.endsWith('/')).map((key) => key.slice('virtual_hosts/'.length, -1));
    const single = keys.filter((key) => !key.endsWith('/'));
    const rows = await findDocumentTexts(this.#db, this.scope, single.map(toKey));
    for (const key of single) this.#held.set(key, undefined);
    for (const row of rows) this.#hold(row);
    for (const routes of groups) await this.#loadHosts(routes);
  }

  async #loadHosts(routes: string): Promise<void> {
    const rows = await findVirtualHostTexts(this.#db, this.scope, routes);
    for (const row of rows) this.#hold(row);
    this.#hosts.set(routes, rows.map(({ name }) => name).sort());
  }

  /** A document that cannot be decrypted counts as missing: its users report that, and all others continue. */
  #hold(row: DocumentTextRow): void {
    const { collection, name, type, revision, host_access: mayReachHost, text: visible } = row;
    try {
      const parts = openPartsText(this.#keyring, row);
      const document = { collection: collection as DocumentCollection, name, type, revision, mayReachHost };
      this.#held.set(`${collection}/${name}`, new HeldDocument({ ...document, visible, parts }));
    } catch (error) {
      this.#logger.error({ err: error, collection, name }, 'documents.seal_broken');
    }
  }

  /** Keeps the list of virtual hosts up to date after a document was added or deleted. */
  #listHost(key: string): void {
    const routes = routesOf(key);
    const names = routes === undefined ? undefined : this.#hosts.get(routes);
    if (routes === undefined || !names) return;
    const name = key.slice('virtual_hosts/'.length);
    const rest = names.filter((one) => one !== name);
    this.#hosts.set(routes, (this.#held.get(key) ? [...rest, name] : rest).sort());
  }
}

function routesOf(key: string): string | undefined {
  return key.startsWith('virtual_hosts/')
    ? splitVirtualHostName(key.slice('virtual_hosts/'.length))?.routes
    : undefined;
}

function toKey(key: string) {
  const slash = key.indexOf('/');
  return { collection: key.slice(0, slash) as DocumentCollection, name: key.slice(slash + 1) };
}
