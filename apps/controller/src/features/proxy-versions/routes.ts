import { versionRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { fetchCatalog } from './archive.ts';

export function createVersionRoutes(options: { archiveUrl: string | undefined }): Route[] {
  return [
    implement(versionRoutes.availableVersions, async () => {
      const catalog = await fetchCatalog(options.archiveUrl);
      return { body: catalog.bytes, contentType: catalog.contentType };
    }),
  ];
}
