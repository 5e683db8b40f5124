import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import type { PairRemoval, PairsPort } from '../../fleet/public.ts';
import { MemberConfigs } from './member-configs.ts';
import { pairRemoval } from './removal.ts';
import { MemberReports } from './reports.ts';
import { Rotations } from './rotation.ts';

/** The part of pairs that serves clients. It works without the API: a pair that exists goes on to serve. */
export interface Pairs extends PairsPort, PairRemoval {
  readonly rotations: Rotations;
}

export function openPairs({ db, cipher, logger }: { db: Db; cipher: Cipher; logger: Logger }): Pairs {
  const rotations = new Rotations({ db, cipher });
  const configs = new MemberConfigs({ db, cipher });
  const reports = new MemberReports({ db, logger, rotations });
  return {
    ...pairRemoval,
    rotations,
    desiredFor: (clientId) => configs.desiredFor(clientId),
    findReached: (events) => configs.findReached(events),
    recordReport: (clientId, report, now) => reports.record(clientId, report, now),
    forget: (clientId) => reports.forget(clientId),
  };
}
