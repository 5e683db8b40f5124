import { haRoutes, type RouteContract } from '@flotilla/contract';
import type { Route } from '../../platform/http/route.ts';
import type { FeatureOff } from '../../platform/http/unserved.ts';
import type { Platform } from '../../platform/platform.ts';
import { createHaRoutes, type FleetCommands, HA_OFF, openPairs, type Pairs } from './ha/index.ts';

export interface Edge {
  readonly routes: readonly Route[];
  readonly featuresOff: readonly FeatureOff[];
  /** Routes that are documented although this controller refuses them. */
  readonly refused: readonly RouteContract[];
}

/** Opens the part of pairs that the fleet needs. */
export function openEdge({ database, keyring, logger }: Pick<Platform, 'database' | 'keyring' | 'logger'>): Pairs {
  return openPairs({ db: database.db, cipher: keyring, logger });
}

/** The API of pairs. The keys of pairs are kept with a secret from outside, so without one there is no API. */
export function composeEdge(
  { config, database, keyring }: Pick<Platform, 'config' | 'database' | 'keyring'>,
  { pairs, commands }: { readonly pairs: Pairs; readonly commands: FleetCommands },
): Edge {
  if (config.jwtSecret === undefined) return { routes: [], featuresOff: [HA_OFF], refused: Object.values(haRoutes) };
  const { rotations } = pairs;
  return {
    routes: createHaRoutes({ db: database.db, cipher: keyring, commands, rotations }),
    featuresOff: [],
    refused: [],
  };
}
