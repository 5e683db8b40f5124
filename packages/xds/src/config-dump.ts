import { type Resource, type ResourceKey, toResourceKey } from './resource.ts';
import { RESOURCE_TYPE } from './resource-type.ts';

/**
 * Versions as Envoy shows them (`deriveWarm` explains how reliable they are). An empty string means that Envoy shows
 * none.
 */
export interface DumpedState {
  readonly active: string | undefined;
  readonly warming: string | undefined;
  readonly draining: boolean;
  /** The reason why the latest update of this listener failed. */
  readonly error: string | undefined;
}

/** The dynamic resources in Envoy's `/config_dump`, by name. */
export interface ConfigDump {
  readonly clusters: ReadonlyMap<string, DumpedState>;
  readonly listeners: ReadonlyMap<string, DumpedState>;
  readonly secrets: ReadonlyMap<string, DumpedState>;
  readonly routes: ReadonlyMap<string, DumpedState>;
  readonly extensions: ReadonlyMap<string, DumpedState>;
  /** Present only in a dump with `include_eds`. */
  readonly endpoints: ReadonlyMap<string, DumpedState>;
}

type Json = Readonly<Record<string, unknown>>;
type States = Map<string, DumpedState>;

/**
 * Parses the JSON of a complete `/config_dump` (`configs` has one dump per type) or of one kind (`?resource=...`:
 * `configs` has single items). Skips unknown parts and never throws. Source: Envoy API,
 * envoy/admin/v3/config_dump*.proto.
 */
export function parseConfigDump(json: unknown): ConfigDump {
  const dump = {
    clusters: new Map<string, DumpedState>(),
    listeners: new Map<string, DumpedState>(),
    secrets: new Map<string, DumpedState>(),
    routes: new Map<string, DumpedState>(),
    extensions: new Map<string, DumpedState>(),
    endpoints: new Map<string, DumpedState>(),
  };
  for (const config of listOf(objectOf(json), 'configs')) {
    const type = textOf(config, '@type') ?? '';
    switch (type.slice(type.lastIndexOf('v3.') + 3)) {
      case 'ClustersConfigDump':
        readItems(dump.clusters, listOf(config, 'dynamic_active_clusters'), 'active', nameIn('cluster'));
        readItems(dump.clusters, listOf(config, 'dynamic_warming_clusters'), 'warming', nameIn('cluster'));
        break;
      case 'ListenersConfigDump':
        for (const listener of listOf(config, 'dynamic_listeners')) readListener(dump.listeners, listener);
        break;
      case 'ListenersConfigDump.DynamicListener':
        readListener(dump.listeners, config);
        break;
      case 'SecretsConfigDump':
        readItems(dump.secrets, listOf(config, 'dynamic_active_secrets'), 'active', (item) => textOf(item, 'name'));
        readItems(dump.secrets, listOf(config, 'dynamic_warming_secrets'), 'warming', (item) => textOf(item, 'name'));
        break;
      case 'RoutesConfigDump':
        readItems(dump.routes, listOf(config, 'dynamic_route_configs'), 'active', nameIn('route_config'));
        break;
      case 'EcdsConfigDump':
        readItems(dump.extensions, listOf(config, 'ecds_filters'), 'active', nameIn('ecds_filter'));
        break;
      case 'EndpointsConfigDump':
        readItems(dump.endpoints, listOf(config, 'dynamic_endpoint_configs'), 'active', (item) => {
          return textOf(objectOf(item.endpoint_config), 'cluster_name');
        });
        break;
    }
  }
  return dump;
}

/**
 * The clusters of `?resource=dynamic_active_clusters` and `?resource=dynamic_warming_clusters`, whose items have one
 * type.
 */
export function parseClusterDumps(active: unknown, warming: unknown): ReadonlyMap<string, DumpedState> {
  const clusters: States = new Map();
  readItems(clusters, listOf(objectOf(active), 'configs'), 'active', nameIn('cluster'));
  readItems(clusters, listOf(objectOf(warming), 'configs'), 'warming', nameIn('cluster'));
  return clusters;
}

/**
 * Returns which of these acknowledged resources Envoy uses. Envoy accepted them when it acknowledged them, so a
 * resource is in use if it is active and nothing of it is warming. The version shown is not reliable: Envoy skips an
 * update with the same meaning, and a listener that is updated in place shows the same version as active and as
 * warming.
 */
export function deriveWarm(dump: Partial<ConfigDump>, resources: readonly Resource[]): ReadonlySet<ResourceKey> {
  const byType: Readonly<Record<string, ReadonlyMap<string, DumpedState> | undefined>> = {
    [RESOURCE_TYPE.cluster]: dump.clusters,
    [RESOURCE_TYPE.listener]: dump.listeners,
    [RESOURCE_TYPE.secret]: dump.secrets,
    [RESOURCE_TYPE.route]: dump.routes,
    [RESOURCE_TYPE.extension]: dump.extensions,
    [RESOURCE_TYPE.endpoint]: dump.endpoints,
  };
  const warm = new Set<ResourceKey>();
  for (const resource of resources) {
    const state = byType[resource.typeUrl]?.get(resource.name);
    if (state?.active === undefined) continue;
    if (state.warming === undefined) warm.add(toResourceKey(resource));
  }
  return warm;
}

const NOTHING: DumpedState = { active: undefined, warming: undefined, draining: false, error: undefined };

function readItems(
  states: States,
  items: readonly Json[],
  stage: 'active' | 'warming',
  findName: (item: Json) => string | undefined,
): void {
  for (const item of items) {
    const name = findName(item);
    if (name === undefined) continue;
    states.set(name, { ...(states.get(name) ?? NOTHING), [stage]: textOf(item, 'version_info') ?? '' });
  }
}

function readListener(states: States, listener: Json): void {
  const name = textOf(listener, 'name');
  if (name === undefined) return;
  const versionIn = (field: string) =>
    listener[field] === undefined ? undefined : (textOf(objectOf(listener[field]), 'version_info') ?? '');
  states.set(name, {
    active: versionIn('active_state'),
    warming: versionIn('warming_state'),
    draining: listener.draining_state !== undefined,
    error: textOf(objectOf(listener.error_state), 'details'),
  });
}

function nameIn(field: string): (item: Json) => string | undefined {
  return (item) => textOf(objectOf(item[field]), 'name');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function listOf(json: Json, field: string): Json[] {
  const value = json[field];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(json: Json, field: string): string | undefined {
  const value = json[field];
  return typeof value === 'string' ? value : undefined;
}
