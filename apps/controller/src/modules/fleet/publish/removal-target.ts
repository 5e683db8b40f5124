import {
  failPublish,
  type Parsed,
  parsePublishedHost,
  parsePublishedPath,
  type UnpublishBody,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Violation } from '@flotilla/kit';
import { findReachedServices, findStoredDocuments, type StoredDocument } from '../../configuration/public.ts';
import { PUBLISHED_LABEL } from './documents.ts';
import { hostOfLabel, isForPath, type RemovalRequest } from './removal.ts';
import { findCandidates, findPublishedClusters } from './removal-store.ts';
import { refuse } from './request.ts';
import { type Look, readRoutes } from './target.ts';

/** A request whose hosts and path have one spelling each. Throws publish.invalid. */
export function readRemoval(body: UnpublishBody): RemovalRequest {
  const problems: Violation[] = [];
  const take = (path: string, parsed: Parsed<string>): string[] => {
    if (parsed.ok) return [parsed.value];
    problems.push({ path, rule: 'format', message: parsed.message });
    return [];
  };
  const hosts = body.hosts.flatMap((host, i) => take(`hosts[${i}]`, parsePublishedHost(host)));
  const [path] = body.path === undefined ? [] : take('path', parsePublishedPath(body.path));
  const [first, ...others] = new Set(hosts);
  if (problems.length > 0 || first === undefined) throw refuse(problems);
  return { hosts: [first, ...others], path };
}

/** The version for which the hosts are published; among several, the one that services use. */
export async function chooseVersion(db: Db, project: string, { hosts }: RemovalRequest): Promise<string | undefined> {
  const versions = Map.groupBy(await findCandidates(db, project, hosts), ({ version }) => version);
  if (versions.size < 2) return [...versions.keys()][0];
  const used: string[] = [];
  for (const [version, keys] of versions) {
    if ((await findReachedServices(db, { project, version }, keys)).length > 0) used.push(version);
  }
  const [only, ...others] = used;
  if (only !== undefined && others.length === 0) return only;
  const message = `is required, because the hosts are published for ${[...versions.keys()].join(' and ')}`;
  throw refuse([{ path: 'version', rule: 'required', message }]);
}

/** The documents that a removal is derived from. */
export interface Found {
  /** Virtual hosts and route configurations that may serve the hosts. */
  readonly hosts: readonly StoredDocument[];
  /** Published clusters to which these lead, and those that were published for the hosts. */
  readonly clusters: ReadonlyMap<string, StoredDocument>;
  /** Documents that were published for the hosts and the path. */
  readonly labelled: readonly StoredDocument[];
}

/** Without documents that the member may not see. */
export async function findPublication(
  look: Look,
  request: RemovalRequest,
  listener: string | undefined,
): Promise<Found> {
  const { db, scope, reader } = look;
  const candidates = (await findCandidates(db, scope.project, request.hosts)).filter(
    ({ version }) => version === scope.version,
  );
  const stored = await findStoredDocuments(db, scope, { keys: candidates, reader });
  const routes = listener === undefined ? undefined : (await readRoutes(look, listener)).listener.routes;
  const hosts = stored.filter(({ collection, name }) => {
    if (collection !== 'routes' && collection !== 'virtual_hosts') return false;
    return routes === undefined || name === routes || name.startsWith(`${routes}/`);
  });
  const labelled = stored.filter(
    (one) =>
      routes === undefined &&
      request.hosts.includes(hostOfLabel(one) ?? '') &&
      (request.path === undefined || isForPath(one, request.path)),
  );
  const names = await findPublishedClusters(db, scope, hosts as Parameters<typeof findPublishedClusters>[2]);
  const keys = names.map((name) => ({ collection: 'clusters', name }) as const);
  const routed = keys.length === 0 ? [] : await findStoredDocuments(db, scope, { keys, reader });
  const clusters = [...routed, ...labelled].filter(
    ({ collection, labels }) => collection === 'clusters' && labels[PUBLISHED_LABEL] !== undefined,
  );
  return { hosts, clusters: new Map(clusters.map((cluster) => [cluster.name, cluster])), labelled };
}

export function failNotPublished({ hosts, path }: RemovalRequest, reason: string): Error {
  return failPublish('publish.not_published', { address: `${hosts.join(', ')}${path ?? ''}`, reason });
}
