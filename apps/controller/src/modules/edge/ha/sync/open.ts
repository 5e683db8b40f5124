import { OUTBOX_CHANNEL } from '@flotilla/db';
import type { Platform } from '../../../../platform/platform.ts';
import type { CloudLookups } from '../../../fleet/public.ts';
import { AddressPairs } from './address-pairs.ts';
import { allowAddresses } from './cloud.ts';
import { HA_SYNC_CHANGED } from './events.ts';
import { PairSync, type PairSyncDeps } from './pair-sync.ts';

/** Topics after which there may be work, or a step of it has ended. */
const WAKING: ReadonlySet<string> = new Set([HA_SYNC_CHANGED, 'commands.finished']);

export interface FleetParts extends Pick<PairSyncDeps, 'commands' | 'services'> {
  readonly clouds: Pick<CloudLookups, 'networksOf'>;
}

/** Starts to let members of pairs catch up, until the program ends. */
export async function openPairSync(
  { database, leadership, logger, lifecycle }: Pick<Platform, 'database' | 'leadership' | 'logger' | 'lifecycle'>,
  { commands, services, clouds }: FleetParts,
): Promise<PairSync> {
  const { db } = database;
  const sync = new PairSync({
    db,
    leadership,
    logger,
    commands,
    services,
    allowAddresses: (members) => allowAddresses({ db, clouds, now: () => new Date() }, members),
  });
  lifecycle.add(() => sync.close());
  const pairs = new AddressPairs({ db, leadership, logger, clouds });
  lifecycle.add(() => pairs.close());
  pairs.start();
  const stop = await database.listen(OUTBOX_CHANNEL, {
    onNotify: (topic) => {
      if (WAKING.has(topic)) sync.wake();
    },
    onGap: () => sync.wake(),
  });
  lifecycle.add(stop);
  sync.start();
  return sync;
}
