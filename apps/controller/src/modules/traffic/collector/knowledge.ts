import { API_DISCOVERY_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type KnownTemplate, NO_ROUTES, type ServedRoutes } from '@flotilla/inventory';
import { type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import type { Settings } from '../../../platform/settings/index.ts';
import { findGeoFiles, listFeedNetworks, listThreatFeeds, readGeoPart } from '../../security/public.ts';
import { findResets } from '../resets/index.ts';
import { listExisting } from './assignment-store.ts';
import { takeDetectors } from './detector-store.ts';
import { findLearnedElsewhere, takeLearner } from './learner-store.ts';
import type { ToThread } from './messages.ts';
import type { ProjectKeys } from './project-keys.ts';

/** Templates that somebody wrote for a project. The version changes with them. */
export type TemplateSource = (
  db: Db,
  project: string,
) => Promise<{ readonly version: string; readonly templates: readonly KnownTemplate[] }>;

/** The routes that the proxies of a project were given. The version is cheap, and changes with them. */
export interface RouteSource {
  version(db: Db, project: string): Promise<string>;
  load(db: Db, project: string): Promise<ServedRoutes>;
}

export interface KnowledgeDeps {
  readonly db: Db;
  /** The id under which this collector stores what it has learned. */
  readonly collector: string;
  readonly routes?: RouteSource | undefined;
  /** The first template that fits wins, so the order of the sources matters. */
  readonly templates?: readonly TemplateSource[] | undefined;
  readonly settings: Pick<Settings, 'getAcceptable'>;
  readonly keys: Pick<ProjectKeys, 'current'>;
  readonly logger: Logger;
  /** Stored operations of the project may have other names now: also after the first load, because something may have changed before it. */
  readonly onNamesChanged?: ((project: string) => void) | undefined;
  readonly post: (message: ToThread, transfer?: readonly ArrayBuffer[]) => void;
  readonly now: () => number;
}

/** Whether the thread knows a project. `absent`: the project does not exist. `outdated`: the thread has ended meanwhile. */
export type Ensured = 'known' | 'absent' | 'outdated';

interface Sent {
  /** Changes with everything that the thread was given about the project. */
  readonly version: string;
  /** Changes with routes, documents and rules. */
  readonly names: string;
  readonly routes: { readonly version: string; readonly served: ServedRoutes };
  readonly data: ReadonlySet<string>;
  /** The number of the last reset that the thread knows. */
  readonly lastReset: number;
  usedMs: number;
}

const RECHECK_MS = 30_000;
const NETWORKS_PER_PART = 20_000;
/** The thread forgets a project without traffic. Its templates are in the database. */
const IDLE_MS = 3_600_000;

/**
 * Gives the collector's thread what it needs to know about projects, when their first batch arrives and whenever something changed: settings, the key of hashes,
 * threat feeds, GeoIP databases, what was learned before.
 */
export class Knowledge implements Closable {
  readonly #deps: KnowledgeDeps;
  readonly #sent = new Map<string, Sent>();
  readonly #data = new Set<string>();
  #loading = new Map<string, Promise<Ensured>>();
  /** Loads of a thread that has ended are worth nothing. */
  #generation = 0;
  readonly #refreshing = new CoalescedWork(() => this.#refreshAll());
  readonly #timer: NodeJS.Timeout;

  constructor(deps: KnowledgeDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.refresh(), RECHECK_MS).unref();
  }

  async ensure(project: string): Promise<Ensured> {
    const sent = this.#sent.get(project);
    if (sent !== undefined) {
      sent.usedMs = this.#deps.now();
      return 'known';
    }
    return this.#load(project);
  }

  /** Something may have changed. */
  refresh(): void {
    this.#refreshing.request();
  }

  /** A new thread knows nothing. */
  reset(): void {
    this.#generation += 1;
    this.#sent.clear();
    this.#data.clear();
    this.#loading = new Map();
  }

  get projects(): number {
    return this.#sent.size;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing.settle();
  }

  /** One load of a project at a time. */
  #load(project: string): Promise<Ensured> {
    const running = this.#loading.get(project);
    if (running !== undefined) return running;
    const loading = this.#loading;
    const load = this.#send(project, this.#generation).finally(() => loading.delete(project));
    loading.set(project, load);
    return load;
  }

  async #send(project: string, generation: number): Promise<Ensured> {
    const { db, settings, keys, post, now } = this.#deps;
    const { value, version } = await settings.getAcceptable(API_DISCOVERY_SETTINGS, { project });
    const key = await keys.current(project);
    if (key === undefined) return 'absent';
    const [feeds, files] = [await listThreatFeeds(db, project), await findGeoFiles(db, project)];
    const threats: string[] = [];
    for (const { id, digest } of feeds) {
      const name = `feed/${id}/${digest}`;
      if (await this.#sendOnce(name, generation, () => this.#sendNetworks(name, id))) threats.push(name);
    }
    const geo: Partial<Record<'city' | 'asn', string>> = {};
    for (const { kind, uploadId } of files) {
      const name = `geo/${uploadId}`;
      if (await this.#sendOnce(name, generation, () => this.#sendFile(name, uploadId))) geo[kind] = name;
    }
    const before = this.#sent.get(project);
    const routes = await this.#readRoutes(project, before?.routes);
    const documents = await this.#readTemplates(project);
    const elsewhere = await findLearnedElsewhere(db, project, this.#deps.collector);
    const names = JSON.stringify([routes.version, documents.version, value.policy.path_normalize_patterns]);
    const learned = before === undefined ? await this.#takeLearned(project) : undefined;
    const resets = await findResets(db, project, before?.lastReset ?? learned?.detectors?.lastReset);
    const current = JSON.stringify([version, key.id, threats, geo, names, elsewhere.version, resets.last]);
    if (generation !== this.#generation) return 'outdated';
    if (before?.version === current) return 'known';
    const others = await elsewhere.load();
    if (generation !== this.#generation) return 'outdated';
    const { city, asn } = geo;
    const { templates } = documents;
    const known = { settings: value, key: key.key, routes: routes.served, templates, threats, city, asn };
    const { learner, detectors } = learned ?? {};
    post({ kind: 'project', project, ...known, learner, others, detectors: detectors?.state, resets });
    const data = new Set([...threats, ...Object.values(geo)]);
    const usedMs = before?.usedMs ?? now();
    this.#sent.set(project, { version: current, names, routes, data, lastReset: resets.last, usedMs });
    if (names !== before?.names) this.#deps.onNamesChanged?.(project);
    return 'known';
  }

  /** Reads what this collector has learned before, for a thread that knows nothing of the project. */
  async #takeLearned(project: string) {
    const { db, collector } = this.#deps;
    return {
      learner: await takeLearner(db, project, collector),
      detectors: await takeDetectors(db, project, collector),
    };
  }

  /** The version is read first: routes that change in between are read again the next time. */
  async #readRoutes(project: string, before: Sent['routes'] | undefined): Promise<Sent['routes']> {
    const { db, routes } = this.#deps;
    if (routes === undefined) return { version: '', served: NO_ROUTES };
    const version = await routes.version(db, project);
    return version === before?.version ? before : { version, served: await routes.load(db, project) };
  }

  async #readTemplates(project: string) {
    const { db, templates = [] } = this.#deps;
    const read = await Promise.all(templates.map((source) => source(db, project)));
    return {
      version: JSON.stringify(read.map(({ version }) => version)),
      templates: read.flatMap((one) => one.templates),
    };
  }

  /** False: it could not be read as a whole, because it is being replaced. */
  async #sendOnce(name: string, generation: number, send: () => Promise<boolean>): Promise<boolean> {
    if (this.#data.has(name)) return true;
    const isComplete = await send();
    if (isComplete && generation === this.#generation) this.#data.add(name);
    else this.#deps.post({ kind: 'drop-data', id: name });
    return isComplete;
  }

  async #sendNetworks(id: string, feed: string): Promise<boolean> {
    let after: string | undefined;
    for (;;) {
      const networks = await listFeedNetworks(this.#deps.db, feed, { after, limit: NETWORKS_PER_PART });
      const isLast = networks.length < NETWORKS_PER_PART;
      this.#deps.post({ kind: 'networks', id, part: networks.join('\n'), isLast });
      if (isLast) return true;
      after = networks.at(-1);
    }
  }

  async #sendFile(id: string, uploadId: string): Promise<boolean> {
    const { db, post } = this.#deps;
    let part = await readGeoPart(db, uploadId, 0);
    for (let index = 1; part !== undefined; index += 1) {
      const next = await readGeoPart(db, uploadId, index);
      post({ kind: 'geo', id, part, isLast: next === undefined });
      if (next === undefined) return true;
      part = next;
    }
    return false;
  }

  async #refreshAll(): Promise<void> {
    const { db, post, logger, now } = this.#deps;
    try {
      const existing = await listExisting(db, [...this.#sent.keys()]);
      for (const [project, { usedMs }] of [...this.#sent]) {
        if (existing.has(project) && now() - usedMs < IDLE_MS) await this.#load(project);
        else {
          this.#sent.delete(project);
          post({ kind: 'forget', project });
        }
      }
      this.#dropUnused();
    } catch (error) {
      logger.warn({ err: error }, 'collector.refresh_failed');
    }
  }

  #dropUnused(): void {
    const used = new Set([...this.#sent.values()].flatMap(({ data }) => [...data]));
    // A project that is being loaded may use data that no other one does.
    if (this.#loading.size > 0) return;
    for (const name of this.#data) {
      if (used.has(name)) continue;
      this.#data.delete(name);
      this.#deps.post({ kind: 'drop-data', id: name });
    }
  }
}
