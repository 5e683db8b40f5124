import type { Result } from '@flotilla/kit';
import type { DeltaRequest } from './messages.ts';
import {
  deriveContentVersion,
  type Resource,
  type ResourceKey,
  type ResourceRef,
  type Snapshot,
  toResourceKey,
} from './resource.ts';
import { RESOURCE_TYPE, TYPE_ORDER } from './resource-type.ts';

/** A decoded DeltaDiscoveryResponse. */
export interface DeltaAnswer {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: ReadonlyArray<{
    readonly name: string;
    readonly version: string;
    readonly resource?: { readonly typeUrl: string; readonly value: Uint8Array } | undefined;
  }>;
  readonly removedResources: readonly string[];
}

export interface NodePlan {
  readonly snapshotVersion: string;
  readonly resources: ReadonlyArray<
    ResourceRef & { readonly version: string; readonly dependsOn: readonly ResourceRef[] }
  >;
}

export interface DeltaClientOptions {
  readonly nodeId: string;
  readonly parsePlan: (bytes: Uint8Array) => Result<NodePlan, string>;
  /** Called once per new complete snapshot, never twice in a row for the same version. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** Stored by an earlier process: resources that are still current are not transferred again. */
  readonly initial?: Snapshot;
}

type Send = (request: DeltaRequest) => void;

/**
 * The client side of one node's delta ADS stream to the controller.
 *
 * Disconnected: keeps everything it has. Connected (`connect`): has subscribed to every type by wildcard and reported
 * what it has; accepts or rejects each response as a whole; ends with `disconnect`. A snapshot is complete when every
 * resource in the node's plan is present in the planned version; until then the previous snapshot stays current.
 */
export class DeltaClient {
  readonly #options: DeltaClientOptions;
  readonly #resources = new Map<ResourceKey, Resource>();
  #plan: NodePlan | undefined;
  #planVersion: string | undefined;
  #snapshot: Snapshot | undefined;
  #send: Send | undefined;

  constructor(options: DeltaClientOptions) {
    this.#options = options;
    for (const [key, resource] of options.initial?.resources ?? []) this.#resources.set(key, resource);
  }

  /** The latest complete snapshot received by this process. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  connect(send: Send): void {
    this.#send = send;
    for (const typeUrl of TYPE_ORDER) {
      this.#request(typeUrl, { resourceNamesSubscribe: ['*'], initialResourceVersions: this.#versions(typeUrl) });
    }
  }

  disconnect(): void {
    this.#send = undefined;
  }

  receive(answer: DeltaAnswer): void {
    const { typeUrl, nonce } = answer;
    const reason = this.#apply(answer);
    if (reason !== undefined) {
      // INVALID_ARGUMENT (google.rpc.Code).
      this.#request(typeUrl, { responseNonce: nonce, errorDetail: { code: 3, message: reason } });
      return;
    }
    this.#request(typeUrl, { responseNonce: nonce });
    this.#complete();
  }

  /** Applies the complete response, or nothing and returns the reason. */
  #apply({ typeUrl, resources, removedResources }: DeltaAnswer): string | undefined {
    const taken: Resource[] = [];
    for (const { name, version, resource } of resources) {
      if (!resource || resource.typeUrl !== typeUrl) return `resource "${name}" carries no message of type ${typeUrl}`;
      if (deriveContentVersion(resource.value) !== version) return `resource "${name}" is not what its version says`;
      taken.push({ typeUrl, name, version, bytes: resource.value });
    }
    if (typeUrl === RESOURCE_TYPE.nodePlan) return this.#takePlan(taken);
    for (const resource of taken) this.#resources.set(toResourceKey(resource), resource);
    for (const name of removedResources) this.#resources.delete(toResourceKey({ typeUrl, name }));
    return undefined;
  }

  #takePlan(plans: readonly Resource[]): string | undefined {
    const own = plans.find(({ name }) => name === this.#options.nodeId);
    if (!own) return undefined;
    const plan = this.#options.parsePlan(own.bytes);
    if (!plan.ok) return `plan of node "${own.name}": ${plan.error}`;
    this.#plan = plan.value;
    this.#planVersion = own.version;
    return undefined;
  }

  #complete(): void {
    const plan = this.#plan;
    if (!plan || this.#snapshot?.version === plan.snapshotVersion) return;
    const resources = new Map<ResourceKey, Resource>();
    const dependencies = new Map<ResourceKey, readonly ResourceRef[]>();
    for (const planned of plan.resources) {
      const key = toResourceKey(planned);
      const resource = this.#resources.get(key);
      if (resource?.version !== planned.version) return;
      resources.set(key, resource);
      if (planned.dependsOn.length > 0) dependencies.set(key, planned.dependsOn);
    }
    this.#snapshot = { version: plan.snapshotVersion, resources, dependencies };
    this.#options.onSnapshot(this.#snapshot);
  }

  #versions(typeUrl: string): Record<string, string> {
    if (typeUrl === RESOURCE_TYPE.nodePlan) {
      return this.#planVersion === undefined ? {} : { [this.#options.nodeId]: this.#planVersion };
    }
    const versions: Record<string, string> = {};
    for (const resource of this.#resources.values()) {
      if (resource.typeUrl === typeUrl) versions[resource.name] = resource.version;
    }
    return versions;
  }

  #request(typeUrl: string, fields: Partial<DeltaRequest>): void {
    this.#send?.({
      typeUrl,
      resourceNamesSubscribe: [],
      resourceNamesUnsubscribe: [],
      initialResourceVersions: {},
      responseNonce: '',
      ...fields,
    });
  }
}
