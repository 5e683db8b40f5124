import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { SHIELD_CLUSTER_NAME } from '@flotilla/policy';
import { accessLogCluster } from './access-log/access-log.ts';
import type { BuiltDocument } from './build-document.ts';
import { type DocumentKey, MESSAGE, toDocumentKey } from './documents/collections.ts';
import { ACCESS_LOG_CLUSTER_NAME } from './documents/reserved.ts';
import { type ShieldPlacement, shieldCluster } from './guard/connection-manager.ts';
import type { ReachedDocument } from './reach.ts';
import { messageOf, toTypeUrl } from './resource-kinds.ts';
import type { ResourceId, TranslatedResource } from './types.ts';

/** Dependencies of a node's other resources. */
export interface ResourceSurroundings {
  /** Keys of what the bootstrap defines itself. */
  readonly statics: ReadonlySet<DocumentKey>;
  readonly shield: ShieldPlacement | undefined;
  readonly isLogged: boolean;
}

/** Undefined for a document that is not sent on its own. */
export function idOf({ document: { collection, name } }: ReachedDocument): ResourceId | undefined {
  const type = messageOf(collection);
  return type === undefined ? undefined : { typeUrl: toTypeUrl(type), name };
}

/** Undefined for a document that could not be encoded, or is not sent on its own. */
export function toResource(
  reached: ReachedDocument,
  surroundings: ResourceSurroundings,
): TranslatedResource | undefined {
  const { document, built } = reached;
  const { collection, name } = document;
  const type = messageOf(collection);
  const id = idOf(reached);
  if (!built.bytes || type === undefined || id === undefined) return undefined;
  return {
    ...id,
    type,
    bytes: built.bytes,
    dependsOn: dependenciesOf(built, surroundings),
    document: toDocumentKey(collection, name),
    parts: built.parts,
  };
}

function dependenciesOf(built: BuiltDocument, { statics, shield, isLogged }: ResourceSurroundings): ResourceId[] {
  const ids = new Map<string, ResourceId>();
  for (const { collection, name } of built.references) {
    const key = toDocumentKey(collection, name);
    const type = messageOf(collection);
    if (type !== undefined && !statics.has(key)) ids.set(key, { typeUrl: toTypeUrl(type), name });
  }
  if (shield && built.hasConnectionManager) ids.set('shield', SHIELD_CLUSTER);
  if (isLogged && built.hasLog) ids.set('log', LOG_CLUSTER);
  return [...ids.values()];
}

const SHIELD_CLUSTER: ResourceId = { typeUrl: toTypeUrl(MESSAGE.cluster), name: SHIELD_CLUSTER_NAME };

const LOG_CLUSTER: ResourceId = { typeUrl: toTypeUrl(MESSAGE.cluster), name: ACCESS_LOG_CLUSTER_NAME };

/** The cluster of the filter, which has no document. */
export function toShieldResource(api: EnvoyApi, shield: ShieldPlacement): TranslatedResource {
  return toOwnCluster(api, SHIELD_CLUSTER, shieldCluster(shield));
}

/** The cluster of the access log. */
export function toLogResource(api: EnvoyApi, socket: string): TranslatedResource {
  return toOwnCluster(api, LOG_CLUSTER, accessLogCluster(socket));
}

function toOwnCluster(api: EnvoyApi, id: ResourceId, cluster: JsonObject): TranslatedResource {
  const encoded = api.encode(MESSAGE.cluster, cluster);
  if (!encoded.ok) throw new Error(`${id.name}: ${encoded.error[0]?.path} ${encoded.error[0]?.message}`);
  return { ...id, type: MESSAGE.cluster, bytes: encoded.value, dependsOn: [], document: undefined, parts: [] };
}
