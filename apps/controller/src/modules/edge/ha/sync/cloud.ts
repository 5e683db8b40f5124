import { failCloudLookup } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { CloudLookups } from '../../../fleet/public.ts';
import type { CloudMembers } from './catch-up.ts';
import { listCloudMembers } from './cloud-store.ts';

/** Lets the ports of those members that run in a cloud use the addresses; a cloud drops what comes from other addresses. */
export async function allowAddresses(
  { db, clouds }: { readonly db: Db; readonly clouds: Pick<CloudLookups, 'networksOf'> },
  { projectId, clientIds, service, addresses }: CloudMembers,
): Promise<void> {
  for (const member of await listCloudMembers(db, { clientIds, service })) {
    const { name, server, cloudProject, portId, ownAddress } = member;
    if (server === null || cloudProject === null) throw failCloudLookup('cloud.incomplete', { name });
    const networks = await clouds.networksOf(projectId, { cloud_project: cloudProject });
    const port = { server, portId: portId ?? undefined, ownAddress: ownAddress ?? undefined };
    await networks.allowAddresses(port, addresses);
  }
}
