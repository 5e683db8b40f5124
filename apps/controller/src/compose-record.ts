import { join } from 'node:path';
import { systemClock } from '@flotilla/kit';
import type { ComposeParts } from './compose-parts.ts';
import {
  createAuditRoutes,
  DenialBuffer,
  type DenialRecorder,
  HeadsFile,
  openHeadSigner,
  Sealer,
} from './features/audit/index.ts';
import type { Route } from './http/route.ts';

/** The record of who did what, and what seals it. */
export async function composeRecord({
  config,
  database,
  logger,
  lifecycle,
}: Pick<ComposeParts, 'config' | 'database' | 'logger' | 'lifecycle'>): Promise<{
  routes: Route[];
  denials: DenialRecorder;
}> {
  const heads = new HeadsFile(join(config.dataDir, 'audit-heads.ndjson'));
  const signer = await openHeadSigner(config.auditKeyFile);
  const sealer = new Sealer({ db: database.db, signer, heads, logger, clock: systemClock });
  await sealer.start();
  lifecycle.add(() => sealer.close());
  // Closed before the sealer, so that what it writes is sealed.
  const denials = new DenialBuffer({ db: database.db, logger, clock: systemClock });
  lifecycle.add(() => denials.close());
  return { routes: createAuditRoutes({ heads, denials }), denials };
}
