import { versionRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { listNewestAbout } from '../../../platform/jobs/index.ts';
import type { ReleaseArchive } from './archive.ts';
import type { EnvoyApis } from './envoy-apis.ts';
import { PREPARE } from './prepare-job.ts';
import { countByVersion } from './views.ts';

const PREPARATIONS_MAX = 100;

export function createVersionRoutes({
  archive,
  envoyApis,
}: {
  archive: Pick<ReleaseArchive, 'read'>;
  envoyApis: Pick<EnvoyApis, 'sources'>;
}): Route[] {
  return [
    implement(versionRoutes.availableVersions, async () => {
      const { bytes, contentType, fetchedAt, stale } = await archive.read();
      const headers = {
        'x-archive-fetched-at': fetchedAt.toISOString(),
        ...(stale !== undefined && { 'x-archive-stale': stale.replaceAll(/[^ -~]/g, '?') }),
      };
      return { body: bytes, contentType, headers };
    }),
    implement(versionRoutes.releases, async () => {
      const { archiveUrl, fetchedAt, stale, index } = await archive.read();
      return {
        body: { archive_url: archiveUrl, fetched_at: fetchedAt.toISOString(), stale: stale ?? null, ...index },
      };
    }),
    implement(versionRoutes.list, async ({ db, project }) => {
      const [sources, newest] = await Promise.all([
        envoyApis.sources(),
        listNewestAbout(db, { type: PREPARE, project: project.id, limit: PREPARATIONS_MAX }),
      ]);
      const preparations = newest.map(({ about, id, number, status, error }) => ({
        version: about,
        job: { id, number },
        status,
        error,
      }));
      return { body: { items: await countByVersion(db, project.id, sources), preparations } };
    }),
  ];
}
