import type { RequestContext } from '../http/context.ts';
import type { JobActor } from './model.ts';

/** The actor who starts a job by a request. */
export function toJobActor({ actor }: Pick<RequestContext, 'actor'>): JobActor {
  if (actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
  return { kind: actor.kind, id: actor.id, name: actor.name };
}
