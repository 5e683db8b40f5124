import { ApiError, type CallInput, type ServiceRecord, serviceRoutes } from '@flotilla/contract';
import type { Manifest } from '../manifest/kinds.ts';
import { findServiceId, readService, requireClientId, type Scope } from '../records.ts';
import { type Change, diffFields, ifMatch, Refused } from './change.ts';

type ServiceManifest = Manifest & { kind: 'service' };
type ServiceBody = NonNullable<CallInput<typeof serviceRoutes.create>['body']>;

/** Writes one service, or only checks it with `dryRun`. Throws `Refused` with the places in the file. */
export async function applyService(
  scope: Scope,
  manifest: ServiceManifest,
  { dryRun }: { dryRun: boolean },
): Promise<Change> {
  const { connection, project } = scope;
  const body = await resolveClients(scope, manifest);
  const id = await findServiceId(scope, manifest.name);
  const current = id === undefined ? undefined : await readService(scope, id);
  const write = async (options: { dryRun: boolean }): Promise<ServiceRecord> => {
    const query = { project, ...(options.dryRun && { dry_run: 'true' as const }) };
    try {
      if (!current) return (await connection.call(serviceRoutes.create, { query, body })).body;
      const headers = ifMatch(current.etag);
      const params = { service_id: current.service.id };
      return (await connection.call(serviceRoutes.replace, { params, query, body, headers })).body;
    } catch (error) {
      throw error instanceof ApiError ? refuse(error, manifest) : error;
    }
  };
  const planned = await write({ dryRun: true });
  const diff = current ? diffFields(documentOf(current.service), documentOf(planned)) : [];
  const outcome = current ? (diff.length > 0 ? 'changed' : 'unchanged') : 'created';
  if (!dryRun && outcome !== 'unchanged') await write({ dryRun: false });
  return { kind: 'services', name: manifest.name, version: planned.version, outcome, diff, warnings: [] };
}

function documentOf(service: ServiceRecord) {
  const { name, version, bootstrap, listeners, policies, shield, api_discovery, clients } = service;
  return { name, version, bootstrap, listeners, policies, shield, api_discovery, clients };
}

/** Replaces names of clients by ids. Files may contain `client: edge-1` or `client_id: edge-1`. */
async function resolveClients(scope: Scope, { body, entry }: ServiceManifest): Promise<ServiceBody> {
  if (!Array.isArray(body.clients)) return body as ServiceBody;
  const clients: unknown[] = [];
  for (const [i, one] of body.clients.entries()) {
    if (typeof one !== 'object' || one === null) {
      clients.push(one);
      continue;
    }
    const { client, ...rest } = one as Record<string, unknown>;
    const name = rest.client_id ?? client;
    if (typeof name !== 'string') throw new Refused(400, [entry.problem(`clients[${i}]`, 'needs a client_id')]);
    const clientId = await requireClientId(scope, name).catch((error: Error) => {
      throw new Refused(404, [entry.problem(`clients[${i}]`, error.message)]);
    });
    clients.push({ ...rest, client_id: clientId });
  }
  return { ...body, clients } as ServiceBody;
}

function refuse(error: ApiError, { entry }: ServiceManifest): Error {
  const { details = [] } = error.body;
  const problems = details.map(({ path, message }) => entry.problem(path, message));
  const rules = details.map(({ rule }) => rule);
  return problems.length > 0 ? new Refused(error.status, problems, rules) : error;
}
