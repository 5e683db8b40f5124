import type { Db } from '@flotilla/db';
import type { RawBuilder, SqlBool } from 'kysely';
import { permittedRows, readerOf } from '../../../platform/auth/index.ts';
import type { RequestContext } from '../../../platform/http/context.ts';

/** The part of the fleet that a caller may see. */
export interface FleetView {
  /** Shows the whole project: every query over services, clients or errors must add the row conditions below. */
  readonly db: Db;
  readonly projectId: string;
  /** Condition for a column with a service id. */
  readonly seenServices: (id: `${string}.${string}`) => RawBuilder<SqlBool>;
  /** Condition for rows of `clients`. */
  readonly seenClients: RawBuilder<SqlBool>;
}

/** For routes that declare `wholeProject`. */
export function fleetViewOf(ctx: Pick<RequestContext, 'access' | 'project' | 'projectDb'>): FleetView {
  const reader = readerOf(ctx);
  return {
    db: ctx.projectDb(),
    projectId: ctx.project.id,
    seenServices: (id) => permittedRows(reader, 'service', id),
    seenClients: permittedRows(reader, 'client', 'clients.id'),
  };
}
