import { haRoutes, type RouteContract } from '@flotilla/contract';
import type { Route } from '../../platform/http/route.ts';
import type { FeatureOff } from '../../platform/http/unserved.ts';
import type { Platform } from '../../platform/platform.ts';
import { createHaRoutes, type FleetCommands, HA_OFF } from './ha/index.ts';

export interface Edge {
  readonly routes: readonly Route[];
  readonly featuresOff: readonly FeatureOff[];
  /** Routes that are documented although this controller refuses them. */
  readonly refused: readonly RouteContract[];
}

/** Pairs of clients. Their keys are only as safe as the tokens of the operators, so they need a secret from outside. */
export function composeEdge(
  { config, keyring }: Pick<Platform, 'config' | 'keyring'>,
  { commands }: { readonly commands: FleetCommands },
): Edge {
  if (config.jwtSecret === undefined) return { routes: [], featuresOff: [HA_OFF], refused: Object.values(haRoutes) };
  return { routes: createHaRoutes({ cipher: keyring, commands }), featuresOff: [], refused: [] };
}
