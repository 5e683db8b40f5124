import { publishRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type PublishDeps, Publisher } from './service.ts';

export function createPublishRoutes(deps: PublishDeps): Route[] {
  const publisher = new Publisher(deps);
  return [implement(publishRoutes.publish, (ctx, { body }) => publisher.publish(ctx, body))];
}
