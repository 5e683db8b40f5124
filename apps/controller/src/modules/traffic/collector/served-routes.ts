import {
  countRoutes,
  type Resolve,
  type RouteTable,
  readRouteTable,
  type ServedRoutes,
  TEMPLATES_MAX,
  toPlace,
} from '@flotilla/inventory';
import { loadServedListeners, readServedListenersVersion, type ServedListener } from '../../configuration/public.ts';
import type { RouteSource } from './knowledge.ts';

/** The routes of the documents from which the listeners of services are made. */
export const SERVED_ROUTES: RouteSource = {
  version: readServedListenersVersion,
  load: async (db, project) => toServedRoutes(await loadServedListeners(db, project)),
};

const DEPTH_MAX = 64;

/**
 * Finds the route configurations of listeners. A listener uses those of its own documents only. All of them together have at most `TEMPLATES_MAX` routes;
 * requests of the rest are named as if nothing were known of their routes.
 */
export function toServedRoutes(listeners: readonly ServedListener[]): ServedRoutes {
  const tables: RouteTable[] = [];
  const places: Record<string, number[]> = {};
  let room = TEMPLATES_MAX;
  for (const { listener, services, documents } of listeners) {
    const indexes: number[] = [];
    for (const table of readTables(documents, room)) {
      room -= countRoutes(table);
      indexes.push(tables.push(table) - 1);
    }
    for (const service of services) places[toPlace(service, listener)] = indexes;
  }
  return { tables, places };
}

function readTables(documents: ServedListener['documents'], room: number): RouteTable[] {
  const byKey = new Map(documents.map(({ collection, name, resource }) => [`${collection}/${name}`, resource]));
  const resolve: Resolve = (value) => {
    const reference = isRecord(value) ? value.$ref : undefined;
    return typeof reference === 'string' ? byKey.get(reference) : value;
  };
  const tables: RouteTable[] = [];
  let left = room;
  const add = (configuration: unknown, hosts: readonly unknown[]) => {
    const table = readRouteTable(configuration, { hosts, resolve, room: left });
    left -= countRoutes(table);
    tables.push(table);
  };
  for (const { collection, name, resource } of documents) {
    if (collection === 'routes') add(resource, hostsOf(documents, name));
    else if (collection !== 'virtual_hosts') for (const one of findConfigurations(resource)) add(one, []);
  }
  return tables;
}

/** Virtual hosts are documents of their own, or are within their route configuration. */
function hostsOf(documents: ServedListener['documents'], routes: string): unknown[] {
  const isOf = (name: string) => name.startsWith(`${routes}/`);
  return documents.flatMap(({ collection, name, resource }) =>
    collection === 'virtual_hosts' && isOf(name) ? [resource] : [],
  );
}

/** Route configurations within a listener or a filter. */
function findConfigurations(value: unknown, depth = 0): unknown[] {
  if (depth > DEPTH_MAX || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => findConfigurations(item, depth + 1));
  const record = value as Record<string, unknown>;
  if (Array.isArray(record.virtual_hosts)) return [record];
  return Object.values(record).flatMap((member) => findConfigurations(member, depth + 1));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
