import type { RouteContract, Schema } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type * as z from 'zod';
import type { Reply, RequestContext } from './context.ts';

type Output<S> = S extends Schema ? z.output<S> : undefined;

export interface RouteInput<P, Q, B> {
  readonly params: Output<P>;
  readonly query: Output<Q>;
  readonly body: Output<B>;
}

export type RouteHandler<P extends Schema, Q extends Schema, B extends Schema> = (
  ctx: RequestContext,
  input: RouteInput<P, Q, B>,
) => Promise<Reply>;

/**
 * Finds the project of the resource in the path, for routes with the project rule `target`. undefined: the resource
 * does not exist.
 */
export type ProjectLocator = (db: Db, params: Readonly<Record<string, string>>) => Promise<string | undefined>;

/** A contract and its implementation. */
export interface Route {
  readonly contract: RouteContract;
  readonly handler: RouteHandler<Schema, Schema, Schema>;
  readonly locateProject?: ProjectLocator;
  /**
   * The route reads rows of several projects, or of some without acting in one, so the database shows everything and
   * only the route's own conditions protect them. matrix.api.test.ts lists each such route with its reason.
   */
  readonly acrossProjects?: true;
  /**
   * The handler gets `RequestContext.projectDb` and must itself hide what a member may not see. matrix.api.test.ts
   * lists each such route with its reason.
   */
  readonly wholeProject?: true;
}

export function implement<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  contract: RouteContract<P, Q, B, R>,
  handler: RouteHandler<P, Q, B>,
  options: { locateProject?: ProjectLocator; acrossProjects?: true; wholeProject?: true } = {},
): Route {
  if (contract.project === 'target' && !options.locateProject) {
    throw new Error(`route ${contract.id} takes its project from its target but does not say how to find it`);
  }
  return { contract, handler: handler as RouteHandler<Schema, Schema, Schema>, ...options };
}
