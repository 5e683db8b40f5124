import { cloudLookupRoutes, failCloudLookup, type SubnetAddresses } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { readClient } from '../clients/index.ts';
import type { CloudLookups } from './lookups.ts';

/** The provider of OpenStack servers in the facts of a client. */
const OPENSTACK = 'openstack';

export function createCloudLookupRoutes(lookups: CloudLookups): Route[] {
  return [
    implement(cloudLookupRoutes.interfaces, async (ctx, { params, query }) => {
      await requireServer(ctx, params.client_id, query.os_uuid);
      const networking = await lookups.networksOf(ctx.project.id, query);
      return { body: { data: await networking.listPorts(query.os_uuid) } };
    }),
    implement(cloudLookupRoutes.availableIps, async (ctx, { params, query }) => {
      await requireServer(ctx, params.client_id, query.os_uuid);
      const networking = await lookups.networksOf(ctx.project.id, query);
      const data = await networking.readAddresses(params.subnet_id);
      return { body: { message: describe(data), data } };
    }),
  ];
}

/** Throws unless the client runs in OpenStack and, if it knows its server, on this one. */
async function requireServer(ctx: RequestContext, clientId: string, server: string | undefined): Promise<void> {
  const { name, provider, cloud } = await readClient(ctx.db, { projectId: ctx.project.id, clientId });
  if (provider !== OPENSTACK) {
    const known = provider === null ? `not known (${cloud.detection})` : provider;
    throw failCloudLookup('cloud.provider', { name, provider: `its provider is ${known}` });
  }
  const own = cloud.server_id?.value;
  if (server !== undefined && own && own.toLowerCase() !== server.toLowerCase())
    throw failCloudLookup('cloud.other_server', { name, server: own, given: server });
}

function describe({ subnet_name: name, subnet_id: id, total_available: free, available_ips: listed }: SubnetAddresses) {
  const rest = free > listed.length ? `, of which the first ${listed.length} are listed` : '';
  return `Subnet ${name || id} has ${free} free addresses${rest}. Ports that the credential may not see are not counted.`;
}
