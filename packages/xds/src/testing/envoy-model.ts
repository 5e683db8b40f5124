import type { DeltaRequest } from '../messages.ts';
import {
  createResource,
  type Resource,
  type ResourceKey,
  type ResourceRef,
  type SnapshotPart,
  toResourceKey,
} from '../resource.ts';
import { isWholeType, RESOURCE_TYPE } from '../resource-type.ts';
import type { DeltaResponse } from '../wire.ts';

/** The content of a test resource. */
export interface Content {
  readonly needs: readonly ResourceRef[];
  readonly bad?: boolean;
  readonly edit: number;
}

export function createPart(ref: ResourceRef, content: Content): SnapshotPart {
  return { resource: createResource(ref, Buffer.from(JSON.stringify(content))), dependsOn: content.needs };
}

export function readContent(resource: Resource): Content {
  return JSON.parse(Buffer.from(resource.bytes).toString('utf8'));
}

const { cluster, listener } = RESOURCE_TYPE;

/**
 * Models Envoy on a delta ADS stream as far as a rollout can observe it. It accepts the good resources of a refused set
 * of clusters or listeners, and those before the first bad one of other types. It warms clusters until their endpoints
 * came (again after every change) and their secrets are there, and listeners until their routes and filters are there.
 * It requests what is referred to, continues without what it refused, returns to the active version when that is sent
 * again, requests listeners only when its first clusters are warm, and drops unreferenced resources.
 */
export class EnvoyModel {
  readonly active = new Map<ResourceKey, Resource>();
  readonly warming = new Map<ResourceKey, Resource>();
  readonly outbox: DeltaRequest[] = [];
  inbox: DeltaResponse[] = [];
  /** Whether a refusal mentions the culprits: Envoy's message is not reliable. */
  readonly namesCulprits: boolean;
  readonly #fresh = new Map<ResourceKey, Set<ResourceKey>>();
  /** Refused before any version was accepted: dependents continue without it. */
  readonly givenUp = new Set<ResourceKey>();
  /** Listeners whose address is taken. */
  readonly taken = new Set<ResourceKey>();
  readonly #asked = new Map<string, Set<string>>();
  #clustersCame = false;

  constructor(namesCulprits: boolean) {
    this.namesCulprits = namesCulprits;
  }

  /** Opens a new stream and keeps all resources. */
  connect(): void {
    this.inbox = [];
    this.outbox.length = 0;
    const types = new Set([cluster, ...this.#asked.keys()]);
    this.#request(cluster, { initialResourceVersions: this.#versions(cluster) });
    for (const typeUrl of types) {
      if (typeUrl === cluster) continue;
      const names = isWholeType(typeUrl) ? [] : [...(this.#asked.get(typeUrl) ?? [])];
      if (!isWholeType(typeUrl) && names.length === 0) continue;
      this.#request(typeUrl, { resourceNamesSubscribe: names, initialResourceVersions: this.#versions(typeUrl) });
    }
  }

  /** Processes the next response; false if the queue is empty. */
  process(): boolean {
    const response = this.inbox.shift();
    if (!response) return false;
    const bad = this.#take(response);
    const isTaken = bad.some((name) => this.taken.has(toResourceKey({ typeUrl: response.typeUrl, name })));
    const why = isTaken ? "cannot bind '127.0.0.1:80': Address already in use" : 'something is bad';
    const detail = { code: 13, message: this.namesCulprits ? `bad: ${bad.join(', ')}` : why };
    this.#request(response.typeUrl, { responseNonce: response.nonce, ...(bad.length > 0 && { errorDetail: detail }) });
    this.#warm();
    this.#ask();
    return true;
  }

  #take({ typeUrl, resources, removed }: DeltaResponse): string[] {
    const bad: string[] = [];
    for (const resource of resources) {
      const key = toResourceKey(resource);
      if (readContent(resource).bad || this.taken.has(key)) {
        bad.push(resource.name);
        if (!isWholeType(typeUrl)) {
          this.givenUp.add(key);
          this.#noteFresh(key);
          return bad;
        }
        continue;
      }
      if (isWholeType(typeUrl) && this.active.get(key)?.version === resource.version) {
        this.warming.delete(key);
      } else if (isWholeType(typeUrl)) {
        this.warming.set(key, resource);
        this.#fresh.set(key, new Set());
      } else if (this.#asked.get(typeUrl)?.has(resource.name)) {
        this.active.set(key, resource);
        this.#noteFresh(key);
      }
    }
    for (const name of removed) {
      const key = toResourceKey({ typeUrl, name });
      // Endpoints, routes and secrets stay in use after a removal (Envoy ignores it), but the removal counts as an
      // answer.
      if (isWholeType(typeUrl) || typeUrl === RESOURCE_TYPE.extension) this.active.delete(key);
      this.warming.delete(key);
      this.#noteFresh(key);
    }
    if (typeUrl === cluster) this.#clustersCame = true;
    return bad;
  }

  #noteFresh(key: ResourceKey): void {
    for (const [waiting, came] of this.#fresh) if (this.warming.has(waiting)) came.add(key);
  }

  #warm(): void {
    for (const [key, resource] of this.warming) {
      const came = this.#fresh.get(key);
      const there = readContent(resource).needs.every((need) => {
        const needed = toResourceKey(need);
        if (isWholeType(need.typeUrl)) return true;
        const without = this.givenUp.has(needed);
        return need.typeUrl === RESOURCE_TYPE.endpoint ? came?.has(needed) : without || this.active.has(needed);
      });
      if (!there) continue;
      this.warming.delete(key);
      this.active.set(key, resource);
    }
  }

  /** Subscribes to what active and warming listeners and clusters, and their routes, refer to. */
  #ask(): void {
    const wanted = new Map<string, Set<string>>();
    const follow = (resource: Resource | undefined) => {
      for (const need of resource ? readContent(resource).needs : []) {
        if (isWholeType(need.typeUrl)) continue;
        const names = wanted.get(need.typeUrl) ?? new Set();
        wanted.set(need.typeUrl, names.add(need.name));
      }
    };
    for (const resource of [...this.active.values(), ...this.warming.values()])
      if (isWholeType(resource.typeUrl)) follow(resource);
    for (const typeUrl of new Set([...wanted.keys(), ...this.#asked.keys()])) {
      if (typeUrl !== listener) this.#subscribe(typeUrl, wanted.get(typeUrl) ?? new Set());
    }
    const warm = ![...this.warming.values()].some((resource) => resource.typeUrl === cluster);
    if (this.#clustersCame && warm && !this.#asked.has(listener)) {
      this.#asked.set(listener, new Set());
      this.#request(listener, {});
    }
  }

  #subscribe(typeUrl: string, wanted: Set<string>): void {
    const asked = this.#asked.get(typeUrl) ?? new Set();
    const added = [...wanted].filter((name) => !asked.has(name));
    const gone = [...asked].filter((name) => !wanted.has(name));
    if (added.length + gone.length === 0) return;
    this.#asked.set(typeUrl, wanted);
    for (const name of gone) this.active.delete(toResourceKey({ typeUrl, name }));
    this.#request(typeUrl, { resourceNamesSubscribe: added, resourceNamesUnsubscribe: gone });
  }

  #versions(typeUrl: string): Record<string, string> {
    const versions: Record<string, string> = {};
    for (const resource of [...this.active.values(), ...this.warming.values()]) {
      if (resource.typeUrl === typeUrl) versions[resource.name] = resource.version;
    }
    return versions;
  }

  #request(typeUrl: string, fields: Partial<DeltaRequest>): void {
    this.outbox.push({
      typeUrl,
      resourceNamesSubscribe: [],
      resourceNamesUnsubscribe: [],
      initialResourceVersions: {},
      responseNonce: '',
      ...fields,
    });
  }
}

/** Dangling references of resources that serve traffic: each would be a failed request. */
export function listDangling({ active, givenUp }: EnvoyModel): string[] {
  const dangling: string[] = [];
  const seen = new Set<ResourceKey>();
  const follow = (resource: Resource) => {
    for (const need of readContent(resource).needs) {
      const key = toResourceKey(need);
      const found = active.get(key);
      const serves = need.typeUrl !== RESOURCE_TYPE.endpoint && need.typeUrl !== RESOURCE_TYPE.secret;
      if (!found && serves && !givenUp.has(key)) dangling.push(`${resource.name} -> ${need.name}`);
      if (found && !seen.has(key)) {
        seen.add(key);
        follow(found);
      }
    }
  };
  for (const resource of active.values()) if (resource.typeUrl === listener) follow(resource);
  return dangling;
}
