import { isRoleAtLeast, type Overview, overviewRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { fleetViewOf } from '../../fleet/public.ts';
import { readCertificates } from './certificate-views.ts';
import { readClients, readConfigErrors, readPendingChanges, readServices, readSettledAt } from './fleet-views.ts';
import { countRunningCommands, listAuditedChanges, listChangedDocuments } from './recent-views.ts';

export interface OverviewDeps {
  /** When the client certificate authority expires. */
  readonly authorityEndsAt: Date;
}

export function createOverviewRoutes(deps: OverviewDeps): Route[] {
  const read = async (ctx: RequestContext) => ({ body: await readOverview(deps, ctx) });
  return [implement(overviewRoutes.read, read, { wholeProject: true })];
}

/** Uses the same number of queries for any fleet. */
async function readOverview({ authorityEndsAt }: OverviewDeps, ctx: RequestContext): Promise<Overview> {
  const { db, now, project } = ctx;
  const isAdmin = isRoleAtLeast(project.role, 'admin');
  const view = fleetViewOf(ctx);
  const [settledAt, services, clients, configErrors, certificates, pendingChanges, runningCommands, recent] =
    await Promise.all([
      readSettledAt(view),
      readServices(view),
      readClients(view),
      readConfigErrors(view),
      readCertificates(db, project.id, { authorityEndsAt, now }),
      readPendingChanges(view, now),
      countRunningCommands(db, project.id),
      isAdmin ? listAuditedChanges(db, project.id) : listChangedDocuments(db, project.id),
    ]);
  return {
    at: now.toISOString(),
    settled_at: settledAt,
    services,
    clients: isAdmin ? clients : withoutRenewal(clients),
    config_errors: configErrors,
    certificates,
    pending_changes: pendingChanges,
    running_commands: runningCommands,
    recent,
  };
}

function withoutRenewal(clients: Overview['clients']): Overview['clients'] {
  return { ...clients, offline_clients: clients.offline_clients.map((one) => ({ ...one, renewable_until: null })) };
}
