import type { CommandResultRecord, ShieldResync } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { listPolicyUsers } from '../../configuration/public.ts';
import type { CommandService } from '../commands/index.ts';
import { type ProjectContext, selectDeployedNodes } from '../services/index.ts';

/** Creates the commands for all filters of the project, or for those on `clients`. */
export async function resyncFilters(
  tx: Tx,
  ctx: ProjectContext,
  { commands, clients }: { readonly commands: CommandService; readonly clients: readonly string[] | undefined },
): Promise<ShieldResync & { readonly results: readonly CommandResultRecord[] }> {
  const users = await listPolicyUsers(tx, ctx.project.id);
  const nodes = await selectDeployedNodes(
    tx,
    users.map(({ id }) => id),
  )
    .select(['service_targets.service_id', 'service_targets.client_id'])
    .execute();
  const wanted = clients && new Set(clients.map((id) => id.toLowerCase()));
  const byService = Map.groupBy(
    nodes.filter((node) => !wanted || wanted.has(node.client_id)),
    (node) => node.service_id,
  );
  const results: CommandResultRecord[] = [];
  // By id, like every writer that locks several services.
  for (const { id, name } of users.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const found = byService.get(id) ?? [];
    if (found.length > 0)
      results.push(...(await commands.resyncWithin(tx, ctx, { service: { id, name }, clients: found })));
  }
  const offline = results.filter(({ outcome }) => outcome === 'pending').length;
  return { services: byService.size, nodes: results.length, offline, results };
}
