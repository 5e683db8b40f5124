import { failDocument, versionRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findNewestAbout, type Jobs, type JobType, toJobActor } from '../../../platform/jobs/index.ts';
import type { ReleaseArchive } from './archive.ts';
import { PREPARE, type PrepareParams } from './prepare-job.ts';

export interface PreparationDeps {
  readonly db: Db;
  readonly archive: Pick<ReleaseArchive, 'find'>;
  readonly jobs: Jobs;
  readonly prepare: JobType<PrepareParams>;
}

/** After a failure, writes do not start another preparation for this time. A person can. */
const REST_MS = 60_000;
const RETRY_AFTER_S = 5;

export function createPrepareRoute({ archive, jobs, prepare }: PreparationDeps): Route {
  return implement(versionRoutes.prepare, async (ctx, { body: { version } }) => {
    const found = await archive.find(version);
    if (!found.ok) {
      const { reason, isCertain } = found.error;
      throw isCertain
        ? failDocument('version.not_in_archive', { version, reason })
        : failDocument('archive.unavailable', { reason });
    }
    return ctx.write(async (tx) => {
      const order = { params: { version }, project: ctx.project.id, actor: toJobActor(ctx) };
      const job = await jobs.enqueueOrFind(tx, prepare, order);
      return {
        reply: { body: { version, job }, location: `/api/v3/jobs/${job.id}` },
        audit: { type: 'proxy_version', name: version, changes: { job: job.number, sha256: found.value.sha256 } },
      };
    });
  });
}

/**
 * Lets a write for a version that only the archive knows start its preparation. The write itself is refused with
 * version.preparing, which names the job: it is not kept, so its author repeats it.
 */
export function withPreparation(routes: readonly Route[], deps: PreparationDeps): Route[] {
  return routes.map((route) =>
    route.contract.audit === null
      ? route
      : {
          ...route,
          handler: async (ctx, input) => {
            try {
              return await route.handler(ctx, input);
            } catch (error) {
              const version = readUnprepared(error);
              if (version === undefined || ctx.dryRun) throw error;
              throw await startPreparation(ctx, version, deps);
            }
          },
        },
  );
}

function readUnprepared(error: unknown): string | undefined {
  if (!(error instanceof AppError) || error.code !== 'version.unprepared') return undefined;
  const version = error.extra?.version;
  return typeof version === 'string' ? version : undefined;
}

async function startPreparation(
  ctx: RequestContext,
  version: string,
  { db, jobs, prepare }: PreparationDeps,
): Promise<AppError> {
  const last = await findNewestAbout(db, { type: PREPARE, about: version });
  const hasJustFailed = last?.endedAt && ctx.now.getTime() - last.endedAt.getTime() < REST_MS;
  if (last?.error && hasJustFailed)
    return failDocument('version.preparation_failed', { version, reason: last.error.message });
  const order = { params: { version }, project: ctx.scope?.id ?? null, actor: toJobActor(ctx) };
  const job = await db.transaction().execute((tx) => jobs.enqueueOrFind(tx, prepare, order));
  const extra = { job: job.id, retry_after: RETRY_AFTER_S };
  return failDocument('version.preparing', { version, number: job.number }, { extra });
}
