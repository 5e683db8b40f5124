import type { Tx } from '@flotilla/db';
import { askAtOnce } from '../../../http/beforehand.ts';
import type { RequestContext } from '../../../http/context.ts';
import { applyDocuments, type DocumentServiceDeps } from '../../documents/index.ts';
import type { Jobs } from '../../jobs/index.ts';
import { createPolicy, type PolicyDeps, replacePolicy } from '../../policies/index.ts';
import type { ServiceRegistry } from '../../services/index.ts';
import { writeKept } from '../../settings/index.ts';
import { findTargets } from '../project-store.ts';
import { writeHistory } from './history.ts';
import { type IdMapping, mapIds } from './ids.ts';
import { writeMembers } from './members.ts';
import { writeGroups, writePermissions } from './people.ts';
import type { RestoreWork } from './plan.ts';
import { writeSchedules } from './schedules.ts';

export interface ApplyDeps {
  readonly documents: DocumentServiceDeps;
  readonly policies: PolicyDeps;
  readonly services: Pick<ServiceRegistry, 'create' | 'replace'>;
  readonly jobs: Pick<Jobs, 'types'>;
}

/**
 * Writes as a person would who has the caller's rights, with every check that such a write meets, in the one transaction of
 * the caller. Ids of the backup go nowhere but into the map that comes back.
 */
export async function applyRestore(
  deps: ApplyDeps,
  ctx: RequestContext,
  tx: Tx,
  work: RestoreWork,
): Promise<IdMapping[]> {
  const project = ctx.project.id;
  const within: RequestContext = {
    ...ctx,
    project: ctx.project,
    access: ctx.access,
    ifMatch: undefined,
    dryRun: false,
    db: tx,
    write: async (one) => (await one(tx)).reply,
    beforehand: askAtOnce,
  };
  if (work.documents.length > 0)
    await applyDocuments(deps.documents, within, { project, documents: work.documents.map(({ body }) => body) });
  const write = { ...deps.policies, ctx: within };
  for (const { body, isNew } of work.policies) {
    if (isNew) await createPolicy(write, body.name, body);
    else await replacePolicy(write, body.name, body);
  }
  for (const { body, id } of work.services) {
    // Where it runs is no part of the backup: what it has here it keeps.
    const clients = id === undefined ? [] : await findTargets(tx, id);
    const document = { ...body, project, clients };
    if (id === undefined) await deps.services.create(tx, within, document);
    else await deps.services.replace(tx, within, id, document);
  }
  const settings: IdMapping[] = [];
  for (const { from, body: kept } of work.settings) {
    const to = await writeKept(within, tx, { project, keyring: deps.documents.keyring, kept });
    settings.push({ kind: 'settings', name: kept.label, from, to });
  }
  const members = await writeMembers({ ctx: within, tx }, work.members);
  const groups = await writeGroups({ ctx: within, tx }, work.groups);
  const written = await mapIds(tx, project, work);
  const made = written.filter(({ kind, name }) => work.made.has(`${kind}/${name}`));
  await writeHistory({ tx, keyring: deps.documents.keyring, content: work.content }, made);
  // Also of what was here already: permissions are given on it all the same, and schedules name it.
  const named = work.permissions.length + work.schedules.length > 0 ? await mapIds(tx, project, work.content) : [];
  const all = new Map(named.map(({ from, to }) => [from, to]));
  await writePermissions({ ctx: within, tx }, work.permissions, (from) => all.get(from));
  const { types } = deps.jobs;
  const schedules = await writeSchedules({ ctx: within, tx, types }, work.schedules, (from) => all.get(from));
  return [
    ...written,
    ...settings,
    ...members,
    ...groups.map((one) => ({ kind: 'groups' as const, ...one })),
    ...schedules.map((one) => ({ kind: 'schedules' as const, ...one })),
  ];
}
