import type { Db } from '@flotilla/db';
import type { Platform } from '../../../platform/platform.ts';
import { NAME_SOURCES, readStoredNaming } from '../collector/index.ts';
import { createRewriteJob } from './job.ts';
import { RewriteRequests } from './requests.ts';
import { createRewriteRoutes } from './routes.ts';

/** The job that names stored operations again, its routes, and what starts it. */
export function composeRewrite({ database, settings, jobs, logger, lifecycle }: Platform) {
  const db: Db = database.db;
  const job = createRewriteJob({
    readNaming: (project) => readStoredNaming(db, project, { settings, ...NAME_SOURCES }),
    now: () => new Date(),
  });
  jobs.register(job);
  const requests = new RewriteRequests({ db, jobs, job, logger });
  lifecycle.add(() => requests.close());
  return {
    routes: createRewriteRoutes({ jobs, job }),
    request: (project: string) => requests.request(project),
  };
}
