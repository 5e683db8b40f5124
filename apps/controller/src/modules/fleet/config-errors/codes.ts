import { CONFIG_ERROR_CODES, type Collection, type ConfigErrorCode, type FixAt } from '@flotilla/contract';
import { COLLECTION_TYPE } from '@flotilla/translate';
import type { ConfigErrorsTable } from './tables.ts';

/** `resource` is the document that describes the resource in the error. */
type FixKind = 'resource' | 'service_clients' | 'service' | 'policies' | 'client';

/** The object to change, by code. */
export const FIX_KINDS: Readonly<Record<ConfigErrorCode, FixKind>> = {
  'address.missing': 'service_clients',
  'admin_port.taken': 'client',
  'bootstrap.too_large': 'resource',
  'content.failed': 'resource',
  'document.build_failed': 'resource',
  'document.build_interrupted': 'resource',
  'document.free_form': 'resource',
  'document.host_access': 'resource',
  'document.invalid': 'resource',
  'document.more_problems': 'resource',
  'envoy.refused': 'resource',
  'filter.wiring': 'service',
  'node.failed': 'client',
  'policy.refused': 'policies',
  'reference.invalid': 'resource',
  'reference.missing': 'resource',
  'reference.size': 'resource',
  'shield.body_cap': 'resource',
  'shield.more_problems': 'resource',
  'shield.unguarded': 'resource',
  'shield.upgrades': 'resource',
  'shield.wiring': 'resource',
};

/** For rows that are older than error codes. */
const CODE_OF_SOURCE: Readonly<Record<ConfigErrorsTable['source'], ConfigErrorCode>> = {
  rollout: 'envoy.refused',
  policy: 'policy.refused',
  filter: 'filter.wiring',
  node: 'node.failed',
  content: 'content.failed',
  translation: 'document.invalid',
};

export function toCode(code: string | null, source: ConfigErrorsTable['source']): ConfigErrorCode {
  return CONFIG_ERROR_CODES.find((one) => one === code) ?? CODE_OF_SOURCE[source];
}

/** Other rules belong to the schema of a message. */
export function toTranslationCode(rule: string): ConfigErrorCode {
  return toCode(rule, 'translation');
}

const COLLECTION_OF_TYPE = new Map(Object.entries(COLLECTION_TYPE).map(([collection, type]) => [type, collection]));
const COLLECTIONS_WITHOUT_TYPE = new Set(['filters', 'extensions']);

export interface Fixable {
  readonly code: ConfigErrorCode;
  readonly serviceId: string;
  readonly clientId: string | null;
  readonly resource: { readonly type: string; readonly name: string };
  readonly service: { readonly version: string; readonly policies: readonly string[] };
}

export function findFix({ code, serviceId, clientId, resource, service }: Fixable): FixAt {
  const ofService: FixAt = { kind: 'service', service_id: serviceId };
  const ofPolicies: FixAt =
    service.policies.length > 0 ? { kind: 'policies', names: [...service.policies] } : ofService;
  switch (FIX_KINDS[code]) {
    case 'service_clients':
      return { kind: 'service_clients', service_id: serviceId, client_id: clientId };
    case 'client':
      return clientId === null ? ofService : { kind: 'client', client_id: clientId };
    case 'policies':
      return ofPolicies;
    case 'resource': {
      if (resource.type === 'policy') return ofPolicies;
      const collection = COLLECTIONS_WITHOUT_TYPE.has(resource.type)
        ? resource.type
        : COLLECTION_OF_TYPE.get(resource.type);
      if (collection === undefined) return ofService;
      return {
        kind: 'document',
        collection: collection as Collection,
        name: resource.name,
        version: service.version,
      };
    }
    case 'service':
      return ofService;
  }
}
