import { failPublish } from '@flotilla/contract';
import type { JsonObject, JsonValue } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';
import { type PlannedDocument, PUBLISHED_LABEL, toPlanned } from './documents.ts';
import { clusterOf, isDomainOf, listOf, listPlaces, type Place, prefixOf, removeItems } from './places.ts';

export interface RemovalRequest {
  readonly hosts: readonly [string, ...string[]];
  /** undefined: every path. */
  readonly path: string | undefined;
}

/** The changes of the virtual hosts that serve the hosts. */
export interface Removal {
  readonly changed: readonly PlannedDocument[];
  readonly deleted: readonly StoredDocument[];
  /** Names of published clusters that lose a route. */
  readonly clusters: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

type Clusters = ReadonlyMap<string, StoredDocument>;

/**
 * Removes the hosts from the virtual hosts that publishing created, and published routes from those of others. `clusters`
 * are the published ones. Throws publish.edited if a virtual host would be deleted together with routes of others.
 */
export function planRemoval(
  request: RemovalRequest,
  documents: readonly StoredDocument[],
  clusters: Clusters,
): Removal {
  const removal = { changed: [] as PlannedDocument[], deleted: [] as StoredDocument[] };
  const lost = new Set<string>();
  const warnings: string[] = [];
  for (const document of documents) {
    let current = document;
    for (const place of listPlaces(document)) {
      const split = splitDomains(place.host, request.hosts);
      if (split.removed.length === 0) continue;
      const outcome = removeFrom({ ...place, document: current }, split.kept, { request, clusters });
      for (const name of outcome.clusters) lost.add(name);
      warnings.push(...outcome.warnings);
      if (outcome.kind === 'deleted') removal.deleted.push(document);
      if (outcome.kind === 'changed') current = outcome.document;
    }
    if (current !== document) removal.changed.push(toPlanned(current));
  }
  return { ...removal, clusters: lost, warnings };
}

/** Names a virtual host that serves a host without a published route, for a refusal. */
export function describeOthers({ hosts }: RemovalRequest, documents: readonly StoredDocument[]): string {
  const serving = documents.flatMap((document) =>
    listPlaces(document)
      .filter(({ host }) => splitDomains(host, hosts).removed.length > 0)
      .map(({ host }) => `virtual host ${String(host.name)} of ${document.collection}/${document.name}`),
  );
  const [first] = serving;
  return first === undefined ? 'no virtual host serves it' : `${first} serves it, but not by a published route`;
}

/** The host of the label of a published document. */
export function hostOfLabel({ labels }: Pick<StoredDocument, 'labels'>): string | undefined {
  return labels[PUBLISHED_LABEL]?.split('/', 1)[0];
}

/** Whether the document was published for the path. Labels are cut at 256 characters. */
export function isForPath({ labels }: Pick<StoredDocument, 'labels'>, path: string): boolean {
  const label = labels[PUBLISHED_LABEL] ?? '';
  const own = label.slice(label.indexOf('/'));
  return label.length < 256 ? own === path : path.startsWith(own);
}

type Outcome = { readonly clusters: readonly string[]; readonly warnings: readonly string[] } & (
  | { readonly kind: 'kept' | 'deleted' }
  | { readonly kind: 'changed'; readonly document: StoredDocument }
);

interface Work {
  readonly request: RemovalRequest;
  readonly clusters: Clusters;
}

function removeFrom(place: Place, kept: readonly number[], work: Work): Outcome {
  const { path } = work.request;
  const isOwn = place.index === undefined && place.document.labels[PUBLISHED_LABEL] !== undefined;
  if (!isOwn || path !== undefined) return removeRoutes(place, kept, { ...work, isOwn });
  const domains = listOf(place.host.domains);
  if (kept.length > 0) {
    const removed = domains.flatMap((_, i) => (kept.includes(i) ? [] : [i]));
    return { kind: 'changed', document: removeItems(place, 'domains', removed), clusters: [], warnings: [] };
  }
  const routes = listOf(place.host.routes);
  const foreign = routes.findIndex((route) => publishedCluster(route, work.clusters) === undefined);
  if (foreign >= 0) {
    throw failEdited(place, `routes[${foreign}] is not as publishing writes routes, or leads to another cluster`);
  }
  const clusters = routes.flatMap((route) => publishedCluster(route, work.clusters)?.name ?? []);
  return { kind: 'deleted', clusters, warnings: [] };
}

/** Removes published routes only; a virtual host of others stays, also without routes. */
function removeRoutes(
  place: Place,
  kept: readonly number[],
  { request, clusters, isOwn }: Work & { readonly isOwn: boolean },
): Outcome {
  const routes = listOf(place.host.routes);
  const { path, hosts } = request;
  const found = routes.flatMap((route, index) => {
    const cluster = publishedCluster(route, clusters);
    const prefix = prefixOf(route) ?? '';
    const isMine = cluster && (isOwn || (isForPath(cluster, prefix) && isServed(place, cluster)));
    return isMine && (path === undefined || prefix === path) ? [{ index, cluster: cluster.name, prefix }] : [];
  });
  if (found.length === 0) {
    requireUnedited(place, { hosts, path, clusters });
    return { kind: 'kept', clusters: [], warnings: [] };
  }
  const others = kept.map((i) => String(listOf(place.host.domains)[i]));
  const paths = found.map(({ prefix }) => prefix).join(', ');
  const warnings =
    others.length > 0
      ? [`${paths} is then no longer served for ${others.join(', ')}, too: one virtual host serves them.`]
      : [];
  const names = found.map(({ cluster }) => cluster);
  if (isOwn && found.length === routes.length) return { kind: 'deleted', clusters: names, warnings };
  const indexes = found.map(({ index }) => index);
  return { kind: 'changed', document: removeItems(place, 'routes', indexes), clusters: names, warnings };
}

/** Throws publish.edited if a route leads to a cluster of the hosts under other conditions than publishing writes. */
function requireUnedited(
  place: Place,
  { hosts, path, clusters }: { hosts: readonly string[]; path: string | undefined; clusters: Clusters },
): void {
  const own = [...clusters.values()].filter(
    (cluster) => hosts.includes(hostOfLabel(cluster) ?? '') && (path === undefined || isForPath(cluster, path)),
  );
  for (const [index, route] of listOf(place.host.routes).entries()) {
    const text = JSON.stringify(route);
    const cluster = own.find(({ name }) => text.includes(JSON.stringify(name)));
    if (cluster) throw failEdited(place, `routes[${index}] leads to cluster ${cluster.name} in another way`);
  }
}

/** The published cluster of a route that depends on nothing but its path. */
function publishedCluster(route: JsonValue, clusters: Clusters): StoredDocument | undefined {
  return prefixOf(route) === undefined ? undefined : clusters.get(clusterOf(route) ?? '');
}

/** The virtual host serves the host that the cluster was published for. */
function isServed({ host }: Place, cluster: StoredDocument): boolean {
  return splitDomains(host, [hostOfLabel(cluster) ?? '']).removed.length > 0;
}

function failEdited({ document, host, index }: Place, reason: string): Error {
  const where = `${document.collection}/${document.name}`;
  const named = index === undefined ? where : `virtual host ${String(host.name)} of ${where}`;
  return failPublish('publish.edited', { document: named, reason });
}

/** Indexes of the domains that belong to the hosts, with or without a port, and of the others. */
function splitDomains(host: JsonObject, hosts: readonly string[]): { removed: number[]; kept: number[] } {
  const removed: number[] = [];
  const kept: number[] = [];
  for (const [index, domain] of listOf(host.domains).entries()) {
    (hosts.some((one) => isDomainOf(domain, one)) ? removed : kept).push(index);
  }
  return { removed, kept };
}
