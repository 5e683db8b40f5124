import { policyDraftRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { EventSource } from '../events/index.ts';
import { readDetections } from './follow.ts';
import { suggestPolicy } from './suggest.ts';

export function createPolicyDraftRoutes(source: EventSource): Route[] {
  return [
    implement(policyDraftRoutes.suggest, async (ctx, { body }) => ({ body: await suggestPolicy(ctx, source, body) })),
    implement(policyDraftRoutes.detections, async (ctx, { query }) => ({
      body: await readDetections(ctx, source, query),
    })),
  ];
}
