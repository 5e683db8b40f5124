import { settingRoutes } from '@flotilla/contract';
import type { Places } from './furnish.ts';

/** Sets the address of the release archive; null removes it. */
export async function setArchive({ owner }: Pick<Places, 'owner'>, archive_url: string | null): Promise<void> {
  await owner.call(settingRoutes.patch, { params: { key: 'archive' }, query: {}, body: { archive_url } });
}
