import type { Tx } from '@flotilla/db';
import type { Violation } from '@flotilla/kit';
import { sql } from 'kysely';
import type { Prepare } from '../../../platform/http/preparation.ts';
import { replaceReferences } from './reference-store.ts';
import { lockScope } from './store.ts';

/** The parts of a service that concern documents. */
export interface ReferringService {
  readonly serviceId: string;
  readonly projectId: string;
  readonly name: string;
  readonly version: string;
  readonly bootstrap: string | null;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
}

/**
 * Checks that the policies of a service are compatible with each other and with its listeners. Runs under the policies'
 * lock.
 */
export type CheckPolicies = (tx: Tx, service: ReferringService, prepare: Prepare) => Promise<Violation[]>;

/**
 * References of services to documents: a service can only name existing documents, and their deletion finds the
 * service. All methods run in the caller's transaction and hold the scope's lock to its end.
 */
export function createServiceReferences(deps: {
  lockPolicies(tx: Tx, projectId: string): Promise<void>;
  checkPolicies: CheckPolicies;
}) {
  return {
    async check(tx: Tx, service: ReferringService, prepare: Prepare): Promise<Violation[]> {
      await lockScope(tx, { project: service.projectId, version: service.version });
      await deps.lockPolicies(tx, service.projectId);
      const wanted = listWanted(service).filter(({ collection }) => collection !== 'policies');
      const existing = await findExisting(tx, service, wanted);
      const missing = wanted.filter(({ collection, name }) => !existing.has(`${collection}/${name}`));
      return [
        ...missing.map(({ path, collection, name }) => ({
          path,
          rule: 'reference.missing',
          message: `${collection}/${name} does not exist in this project for Envoy ${service.version}`,
        })),
        ...(await deps.checkPolicies(tx, service, prepare)),
      ];
    },
    async replace(tx: Tx, service: ReferringService): Promise<void> {
      const from = {
        project: service.projectId,
        version: service.version,
        id: service.serviceId,
        collection: 'services',
        name: service.name,
      };
      await replaceReferences(tx, from, listWanted(service));
    },
    async remove(tx: Tx, serviceId: string): Promise<void> {
      await tx.deleteFrom('document_references').where('from_id', '=', serviceId).execute();
    },
  };
}

function listWanted(service: ReferringService) {
  const kind = 'service' as const;
  return [
    ...(service.bootstrap ? [{ collection: 'bootstrap', name: service.bootstrap, kind, path: 'bootstrap' }] : []),
    ...service.listeners.map((name, i) => ({ collection: 'listeners', name, kind, path: `listeners[${i}]` })),
    ...service.policies.map((name, i) => ({ collection: 'policies', name, kind, path: `policies[${i}]` })),
  ];
}

async function findExisting(tx: Tx, service: ReferringService, keys: readonly { collection: string; name: string }[]) {
  const rows = await tx
    .selectFrom('documents')
    .select(['collection', 'name'])
    .where('project_id', '=', service.projectId)
    .where('version', '=', service.version)
    .where(
      sql<boolean>`(collection, name) in (select * from unnest(${keys.map(({ collection }) => collection)}::text[], ${keys.map(({ name }) => name)}::text[]))`,
    )
    .execute();
  return new Set(rows.map(({ collection, name }) => `${collection}/${name}`));
}
