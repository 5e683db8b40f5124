import { publishRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type PublishDeps, Publisher } from './service.ts';
import { Unpublisher } from './unpublish.ts';

export function createPublishRoutes(deps: PublishDeps): Route[] {
  const publisher = new Publisher(deps);
  const unpublisher = new Unpublisher(deps);
  return [
    implement(publishRoutes.publish, (ctx, { body }) => publisher.publish(ctx, body)),
    implement(publishRoutes.unpublish, (ctx, { body }) => unpublisher.unpublish(ctx, body)),
  ];
}
