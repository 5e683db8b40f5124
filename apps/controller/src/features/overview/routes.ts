import { isRoleAtLeast, type Overview, overviewRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { readCertificates } from './certificate-views.ts';
import { readClients, readConfigErrors, readPendingChanges, readServices, readSettledAt } from './fleet-views.ts';
import { countRunningCommands, listAuditedChanges, listChangedDocuments } from './recent-views.ts';

export interface OverviewDeps {
  /** Of the certificate authority that vouches for clients. */
  readonly authorityEndsAt: Date;
}

export function createOverviewRoutes(deps: OverviewDeps): Route[] {
  return [implement(overviewRoutes.read, async (ctx) => ({ body: await readOverview(deps, ctx) }))];
}

/** As many queries for any fleet; those of a section that the role may not read are not asked. */
async function readOverview(
  { authorityEndsAt }: OverviewDeps,
  { db, now, project }: RequestContext,
): Promise<Overview> {
  const isAdmin = isRoleAtLeast(project.role, 'admin');
  const forAdmins = async <T>(read: () => Promise<T>): Promise<T | null> => (isAdmin ? read() : null);
  const [settledAt, services, clients, configErrors, certificates, pendingChanges, runningCommands, recent] =
    await Promise.all([
      forAdmins(() => readSettledAt(db, project.id)),
      forAdmins(() => readServices(db, project.id)),
      forAdmins(() => readClients(db, project.id)),
      forAdmins(() => readConfigErrors(db, project.id)),
      readCertificates(db, project.id, { authorityEndsAt, now }),
      forAdmins(() => readPendingChanges(db, project.id, now)),
      countRunningCommands(db, project.id),
      isAdmin ? listAuditedChanges(db, project.id) : listChangedDocuments(db, project.id),
    ]);
  return {
    at: now.toISOString(),
    settled_at: settledAt,
    services,
    clients,
    config_errors: configErrors,
    certificates,
    pending_changes: pendingChanges,
    running_commands: runningCommands,
    recent,
  };
}
