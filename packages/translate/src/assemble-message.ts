import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { BuildContext } from './build-context.ts';
import { capabilitiesOf } from './capabilities.ts';
import { ADS_SOURCE } from './documents/ads-sources.ts';
import { toDocumentKey } from './documents/collections.ts';
import { type Expansion, expandDocument, type Lookup } from './expand.ts';
import type { SourceDocument, TranslationError } from './types.ts';

/** The message of a document with everything that other documents contribute to it. */
export interface Assembly extends Omit<Expansion, 'errors' | 'lookups'> {
  readonly errors: readonly TranslationError[];
  readonly lookups: readonly Lookup[];
  /** Keys of the documents that contribute, or should. */
  readonly parts: readonly string[];
  /** Names of virtual hosts that are sent as separate resources. */
  readonly hostsBeside: readonly string[];
}

/**
 * Virtual hosts are appended to their route configuration, sorted by name. If Envoy supports loading them one by one,
 * they are sent separately, and the configuration only contains their source.
 */
export function assembleMessage(
  api: EnvoyApi,
  document: SourceDocument,
  { source, node, allowance }: Pick<BuildContext, 'source' | 'node' | 'allowance'>,
): Assembly {
  const hosts = document.collection === 'routes' ? source.virtualHostsOf(document.name) : [];
  const goBeside = hosts.length > 0 && capabilitiesOf(api.version).virtualHostDiscovery;
  const parts = goBeside ? [] : hosts;
  for (const { chars } of [document, ...parts]) allowance?.spend(chars);
  const environment = { ...node, allowance };
  const own = expandDocument(api, source, document, environment);
  const expandedParts = parts.map((part) => expandDocument(api, source, part, environment));
  const all = [own, ...expandedParts];
  const resource = appendHosts(
    own.resource,
    expandedParts.map((part) => part.resource),
  );
  return {
    resource: goBeside ? { ...resource, vhds: { config_source: ADS_SOURCE } } : resource,
    errors: [document, ...parts].flatMap(({ collection, name }, index) =>
      (all[index]?.errors ?? []).map((error) => ({ ...error, document: toDocumentKey(collection, name) })),
    ),
    lookups: all.flatMap(({ lookups }) => [...lookups.values()]),
    parts: [
      ...parts.map(({ collection, name }) => toDocumentKey(collection, name)),
      ...all.flatMap(({ lookups }) => [...lookups.keys()]),
    ],
    hostsBeside: goBeside ? hosts.map(({ name }) => name) : [],
    isRefused: all.some(({ isRefused }) => isRefused),
    usesFiles: all.some(({ usesFiles }) => usesFiles),
    hasConnectionManager: all.some(({ hasConnectionManager }) => hasConnectionManager),
    hasLog: all.some(({ hasLog }) => hasLog),
  };
}

function appendHosts(routes: JsonObject, hosts: readonly JsonObject[]): JsonObject {
  if (hosts.length === 0) return routes;
  const own = Array.isArray(routes.virtual_hosts) ? routes.virtual_hosts : [];
  return { ...routes, virtual_hosts: [...own, ...hosts] };
}
