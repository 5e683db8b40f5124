import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { DocumentCollection, DocumentSource, SourceDocument } from '@flotilla/translate';
import { splitVirtualHostName } from '@flotilla/translate';
import { type DocumentRow, findDocuments, fullResource, openDocument, type Scope } from '../documents/index.ts';
import type { Keyring } from '../keyring/index.ts';

interface Held extends SourceDocument {
  readonly id: string;
}

/**
 * The documents of one project and version that nodes of this controller use, private values included. Loads what is asked
 * for and keeps it: the source is read synchronously, and tells afterwards what it had to do without.
 */
export class ScopeDocuments {
  readonly #db: Db;
  readonly #keyring: Keyring;
  readonly #logger: Logger;
  readonly scope: Scope;
  /** Undefined: known not to exist. */
  readonly #held = new Map<string, Held | undefined>();
  /** Route configurations whose virtual hosts are all held: names, sorted. */
  readonly #hosts = new Map<string, string[]>();

  constructor(deps: { db: Db; keyring: Keyring; logger: Logger }, scope: Scope) {
    this.#db = deps.db;
    this.#keyring = deps.keyring;
    this.#logger = deps.logger;
    this.scope = scope;
  }

  /** Runs `work` until it has everything that it asks for. `work` is called once per round of loading. */
  async read<T>(work: (source: DocumentSource) => T): Promise<T> {
    for (;;) {
      const missing = new Set<string>();
      const result = work(this.#source(missing));
      if (missing.size === 0) return result;
      await this.#load([...missing]);
    }
  }

  /** Whatever is held of these keys is read again. Call it with every key that has changed. */
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
    const rows = await findDocuments(this.#db, this.scope, single.map(toKey));
    for (const key of single) this.#held.set(key, undefined);
    for (const row of rows) this.#hold(row);
    for (const routes of groups) await this.#loadHosts(routes);
  }

  async #loadHosts(routes: string): Promise<void> {
    const rows = await this.#db
      .selectFrom('documents')
      .selectAll()
      .where('project_id', '=', this.scope.project)
      .where('version', '=', this.scope.version)
      .where('collection', '=', 'virtual_hosts')
      .where('name', 'like', `${routes.replaceAll(/[\\%_]/g, '\\$&')}/%`)
      .execute();
    for (const row of rows) this.#hold(row);
    this.#hosts.set(routes, rows.map(({ name }) => name).sort());
  }

  /** A document whose seal does not open counts as missing: its users say so, and all others go on. */
  #hold(row: DocumentRow): void {
    const opened = this.#open(row);
    if (!opened) return;
    const { content, parts } = opened;
    this.#held.set(`${row.collection}/${row.name}`, {
      id: row.id,
      collection: row.collection as DocumentCollection,
      name: row.name,
      type: row.type,
      revision: row.revision,
      resource: fullResource({ content, parts }),
    });
  }

  #open(row: DocumentRow) {
    try {
      return openDocument(this.#keyring, row);
    } catch (error) {
      this.#logger.error({ err: error, collection: row.collection, name: row.name }, 'documents.seal_broken');
      return undefined;
    }
  }

  /** Keeps the list of virtual hosts in step with a document that came or went. */
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
