import { failCloudLookup } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { CloudLookups } from '../../../fleet/public.ts';
import { recordAllowed } from './address-pair-store.ts';
import type { CloudMembers } from './catch-up.ts';
import { listCloudMembers } from './cloud-store.ts';

/** Lets the ports of those members that run in a cloud use the addresses; a cloud drops what comes from other addresses. */
export async function allowAddresses(
  { db, clouds, now }: { readonly db: Db; readonly clouds: Pick<CloudLookups, 'networksOf'>; readonly now: () => Date },
  { projectId, clientIds, service, addresses }: CloudMembers,
): Promise<void> {
  for (const member of await listCloudMembers(db, { clientIds, service })) {
    const { id: clientId, name, server, cloudProject, portId, ownAddress } = member;
    if (server === null || cloudProject === null) throw failCloudLookup('cloud.incomplete', { name });
    const networks = await clouds.networksOf(projectId, { cloud_project: cloudProject });
    const port = { server, portId: portId ?? undefined, ownAddress: ownAddress ?? undefined };
    const allowed = await networks.allowAddresses(port, addresses);
    const { added } = allowed;
    const serving = { projectId, clientId, cloudProject, server, portId: allowed.portId };
    await recordAllowed(db, serving, { served: addresses, added, now: now() });
  }
}
