import type { CommandResultRecord, ServiceRecord, UnpublishResult } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { failPermission, listReached } from '../../../platform/auth/index.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { diffJson, type StoredDocument } from '../../configuration/public.ts';
import { readService } from '../services/index.ts';
import { isPublishedService } from './removal-store.ts';
import { type PublishDeps, requireAdmin, scopeOf, toComparable } from './service.ts';
import { findServicesWith } from './store.ts';
import type { Look } from './target.ts';

/** A service that lost listeners. */
export interface EndedService {
  readonly changed: UnpublishResult['changed_services'][number];
  readonly commands: readonly CommandResultRecord[];
  readonly warnings: readonly string[];
}

interface Work extends Pick<PublishDeps, 'services' | 'commands'> {
  readonly ctx: RequestContext;
  readonly look: Look & { readonly db: Tx };
}

/**
 * Removes the listeners from all services. A service that publishing created, and that has no listener left, is removed from
 * its clients and deleted.
 */
export async function endServices(work: Work, listeners: readonly StoredDocument[]): Promise<EndedService[]> {
  const { look, ctx } = work;
  const { db, scope, reader } = look;
  const names = listeners.map(({ name }) => name);
  const found = await Promise.all(names.map((name) => findServicesWith(db, scope, name)));
  const ids = [...new Set(found.flat().map(({ id }) => id))].toSorted();
  if (ids.length === 0) return [];
  requireAdmin(ctx);
  const changeable = reader && (await listReached(db, reader, { kind: 'service', ids, level: 'change' }));
  if (changeable && changeable.size < ids.length) throw failPermission({ kind: 'service', level: 'change' });
  const ended: EndedService[] = [];
  for (const id of ids) ended.push(await endService(work, id, names));
  return ended;
}

async function endService(work: Work, id: string, gone: readonly string[]): Promise<EndedService> {
  const { look, ctx, services } = work;
  const { db, scope } = look;
  const context = { ...scopeOf(ctx), ifMatch: undefined, ifNoneMatch: undefined };
  const before = await readService(db, { projectId: scope.project, serviceId: id });
  const listeners = before.listeners.filter((name) => !gone.includes(name));
  const own = { serviceId: id, listeners: before.listeners };
  if (listeners.length === 0 && (await isPublishedService(db, scope, own))) return deleteService(work, before);
  const after = await services.patch(db, context, id, { listeners });
  const changed = { id, name: before.name, outcome: 'changed' as const, revision: after.revision };
  const warnings = listeners.length > 0 ? [] : [`Service ${before.name} has no listener left. It stays deployed.`];
  return { changed: { ...changed, diff: diffJson(toComparable(before), toComparable(after)) }, commands: [], warnings };
}

async function deleteService({ look, ctx, services, commands }: Work, before: ServiceRecord): Promise<EndedService> {
  const { db } = look;
  const { id, name } = before;
  const context = { ...scopeOf(ctx), ifMatch: undefined, ifNoneMatch: undefined };
  const clients = before.targets.filter(({ deployed }) => deployed).map(({ client_id }) => ({ client_id }));
  const sent = await commands.undeployWithin(db, scopeOf(ctx), { service: before, clients });
  await services.remove(db, context, id);
  const diff = diffJson(toComparable(before), undefined);
  return { changed: { id, name, outcome: 'deleted', revision: null, diff }, commands: sent, warnings: [] };
}
