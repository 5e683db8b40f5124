import {
  COLLECTIONS,
  type Collection,
  clientRoutes,
  fleetRoutes,
  type Policy,
  policyRoutes,
  type ServiceRecord,
  serviceRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import type { Connection } from './connection.ts';
import { CliFailure, EXIT } from './exit-codes.ts';
import { collectPages, PAGE_SIZE } from './paging.ts';
import { isId } from './project.ts';

/** A connection and the project that a command acts in. */
export interface Scope {
  readonly connection: Connection;
  readonly project: string;
}

/** Kinds of records with revisions. */
export const RECORD_KINDS = [...COLLECTIONS, 'services', 'policies'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface DocumentFilter {
  readonly version?: string | undefined;
  readonly name?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly withResource?: boolean | undefined;
}

export function listDocuments({ connection, project }: Scope, collection: Collection, filter: DocumentFilter = {}) {
  const { version, name, labels, q, withResource } = filter;
  return collectPages(async (cursor) => {
    const query = {
      project,
      limit: withResource ? 100 : PAGE_SIZE,
      cursor,
      q,
      ...(version && { version }),
      ...(name && { name }),
      ...(labels?.length && { label: [...labels] }),
      ...(withResource && { resource: 'true' as const }),
    };
    return (await connection.call(xdsRoutes.list, { params: { collection }, query })).body;
  });
}

/** Returns the only version of a document. Throws if it has several. */
export async function findVersion(scope: Scope, collection: Collection, name: string): Promise<string> {
  const found = await listDocuments(scope, collection, { name });
  const versions = found.map(({ version }) => version);
  const [only, ...others] = versions;
  if (only === undefined)
    throw new CliFailure(EXIT.notFound, `There is no ${name} among the ${collection} of this project.`);
  if (others.length > 0) {
    throw new CliFailure(EXIT.usage, `${name} exists for several versions. Add --version: ${versions.join(', ')}`);
  }
  return only;
}

export function listServices({ connection, project }: Scope, filter: { name?: string; status?: string[] } = {}) {
  return collectPages(async (cursor) => {
    const query = {
      project,
      limit: PAGE_SIZE,
      cursor,
      name: filter.name,
      status: filter.status as ['Live'] | undefined,
    };
    return (await connection.call(serviceRoutes.list, { query })).body;
  });
}

/** Returns the id of a service by its name or id, or undefined. Every role may call the route. */
export async function findServiceId(scope: Scope, name: string): Promise<string | undefined> {
  const { connection, project } = scope;
  const part = isId(name) ? undefined : name;
  const services = await collectPages(async (cursor) => {
    const query = { project, limit: PAGE_SIZE, cursor, name: part };
    return (await connection.call(fleetRoutes.services, { query })).body;
  });
  return services.find((service) => service.name === name || service.id === name)?.id;
}

export async function requireServiceId(scope: Scope, name: string): Promise<string> {
  const id = await findServiceId(scope, name);
  if (id === undefined) throw new CliFailure(EXIT.notFound, `There is no service ${name} in this project.`);
  return id;
}

export async function readService(
  { connection, project }: Scope,
  id: string,
): Promise<{ service: ServiceRecord; etag: string | undefined }> {
  const { body, etag } = await connection.call(serviceRoutes.read, { params: { service_id: id }, query: { project } });
  return { service: body, etag };
}

export interface ClientFilter {
  readonly q?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly withServiceIps?: boolean;
}

export function listClients({ connection, project }: Scope, { q, label, withServiceIps }: ClientFilter = {}) {
  return collectPages(async (cursor) => {
    const query = {
      project,
      limit: PAGE_SIZE,
      cursor,
      q,
      ...(label?.length && { label: [...label] }),
      ...(withServiceIps && { with_service_ips: 'true' as const }),
    };
    return (await connection.call(clientRoutes.list, { query })).body;
  });
}

/** Returns the id of a client by its name, hostname or id. */
export async function requireClientId(scope: Scope, name: string): Promise<string> {
  if (isId(name)) return name;
  const clients = await listClients(scope, { q: name });
  const named = clients.filter((client) => client.name === name);
  const found = named.length > 0 ? named : clients.filter((client) => client.hostname === name);
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no client ${name} in this project.`);
  if (others.length > 0) {
    const ids = found.map((client) => client.client_id).join(', ');
    throw new CliFailure(EXIT.usage, `Several clients are called ${name}. Use the id: ${ids}`);
  }
  return only.client_id;
}

export function listPolicies({ connection, project }: Scope, q?: string) {
  return collectPages(
    async (cursor) =>
      (await connection.call(policyRoutes.list, { query: { project, limit: PAGE_SIZE, cursor, q } })).body,
  );
}

export async function readPolicy(
  { connection, project }: Scope,
  name: string,
): Promise<{ policy: Policy; etag: string | undefined }> {
  const { body, etag } = await connection.call(policyRoutes.get, { params: { name }, query: { project } });
  return { policy: body, etag };
}
