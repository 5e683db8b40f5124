import { Readable } from 'node:stream';
import { backupRoutes } from '@flotilla/contract';
import type { Database } from '@flotilla/db';
import type { Actor } from '../../../../platform/http/actor.ts';
import type { RequestContext } from '../../../../platform/http/context.ts';
import { prepareAtOnce } from '../../../../platform/http/preparation.ts';
import { findPermit, type JobActor } from '../../../../platform/jobs/index.ts';

interface AsRequestDeps {
  readonly database: Pick<Database, 'db' | 'scoped'>;
}

interface AsRequest {
  readonly actor: JobActor;
  readonly projectId: string;
  readonly now: Date;
}

/**
 * Creates a request context for a job, as if the person who started it sent a request now with their current role. The checks of
 * writes need one. It has no upload, and the caller must supply the transaction for writes.
 */
export async function asRequest(
  { database }: AsRequestDeps,
  { actor, projectId, now }: AsRequest,
): Promise<RequestContext> {
  const role = (await isOwner(database, actor, projectId)) ? 'owner' : 'admin';
  const project = { id: projectId, role } as const;
  const refuse = () => {
    throw new Error('not available in a job');
  };
  const db = database.scoped({ kind: 'project', projectId });
  return {
    requestId: '',
    actor: toActor(actor, { projectId, role }),
    ip: '',
    userAgent: undefined,
    dryRun: false,
    flowCookie: undefined,
    lastEventId: undefined,
    range: { range: undefined, ifRange: undefined },
    ifMatch: undefined,
    upload: Readable.from([]),
    db,
    projectDb: () => db,
    now,
    project,
    scope: project,
    // Admins and owners access the whole project; the route of the job requires one of these roles.
    access: { projectId, all: true, ceiling: 'change', userId: undefined },
    about: refuse,
    refusedIn: refuse,
    write: refuse,
    afterCommit: refuse,
    prepare: prepareAtOnce,
  };
}

async function isOwner({ db }: Pick<Database, 'db'>, actor: JobActor, project: string): Promise<boolean> {
  if (actor.kind === 'system') return false;
  const route = { ...backupRoutes.import, access: { kind: 'roles', roles: ['owner'] } } as const;
  return (await findPermit(db, { actor, project, route })).refusal === undefined;
}

function toActor(actor: JobActor, { projectId, role }: { projectId: string; role: 'owner' | 'admin' }): Actor {
  const { kind, id, name } = actor;
  switch (kind) {
    case 'user':
      return { kind, id, name, sessionId: '', isOwner: false };
    case 'token':
      return { kind, id, name, secretId: '', projectId, role, families: null };
    case 'system':
      return { kind: 'anonymous' };
  }
}
