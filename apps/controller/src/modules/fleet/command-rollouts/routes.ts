import { commandRolloutRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type RolloutDeps, startRollout } from './service.ts';

export function createCommandRolloutRoutes(deps: RolloutDeps): Route[] {
  return [implement(commandRolloutRoutes.start, (ctx, { body }) => startRollout(ctx, deps, body))];
}
