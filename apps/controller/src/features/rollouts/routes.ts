import { rolloutRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { type RolloutDeps, readRollout } from './reader.ts';

export function createRolloutRoutes(deps: Omit<RolloutDeps, 'db'>): Route[] {
  return [
    implement(rolloutRoutes.read, async (ctx, { query }) => ({
      body: await readRollout({ ...deps, db: ctx.db }, ctx.project.id, query, ctx.now),
    })),
  ];
}
