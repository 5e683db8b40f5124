import { join } from 'node:path';
import { systemClock } from '@flotilla/kit';
import type { ComposeParts } from './compose-parts.ts';
import {
  createAuditRoutes,
  createKeepingRoutes,
  createRetentionJob,
  DenialBuffer,
  type DenialRecorder,
  Forwarding,
  HeadsFile,
  openHeadSigner,
  readTrustedKeys,
  Sealer,
} from './features/audit/index.ts';
import type { JobType } from './features/jobs/index.ts';
import type { Route } from './http/route.ts';

export interface ComposedRecord {
  readonly routes: Route[];
  readonly denials: DenialRecorder;
  /** To be run by the clock. */
  readonly retention: JobType<Record<string, never>>;
}

/** The record of who did what, what seals it, and where else it goes. */
export async function composeRecord(
  parts: Pick<ComposeParts, 'config' | 'database' | 'settings' | 'metrics' | 'logger' | 'lifecycle'>,
): Promise<ComposedRecord> {
  const { config, database, settings, metrics, logger, lifecycle } = parts;
  const { db } = database;
  const heads = new HeadsFile(join(config.dataDir, 'audit-heads.ndjson'));
  const signer = await openHeadSigner(config.auditKeyFile);
  const forwarding = new Forwarding({ db, settings, metrics, logger, clock: systemClock });
  await forwarding.start();
  lifecycle.add(() => forwarding.close());
  const sealer = new Sealer({ db, signer, heads, logger, clock: systemClock });
  await sealer.start();
  lifecycle.add(() => sealer.close());
  // Closed before the sealer, so that what it writes is sealed.
  const denials = new DenialBuffer({ db, logger, clock: systemClock });
  lifecycle.add(() => denials.close());
  const readKeys = () => readTrustedKeys(signer, join(config.dataDir, 'audit-trusted-keys.pem'));
  return {
    routes: [...createAuditRoutes({ heads, readKeys, denials }), ...createKeepingRoutes(forwarding)],
    denials,
    retention: createRetentionJob({ db, signer, settings }),
  };
}
