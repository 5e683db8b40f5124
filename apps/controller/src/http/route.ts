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

/** Finds the project of what the path names, for routes whose project rule is `target`. Undefined: there is no such thing. */
export type ProjectLocator = (db: Db, params: Readonly<Record<string, string>>) => Promise<string | undefined>;

/** A contract and the code that keeps it. */
export interface Route {
  readonly contract: RouteContract;
  readonly handler: RouteHandler<Schema, Schema, Schema>;
  readonly locateProject?: ProjectLocator;
  /**
   * Its rules look at rows of other projects than the one that it acts in, or of some where it acts in none, so the
   * database shows them: its own conditions are all there is. Each is named with its reason in matrix.api.test.ts.
   */
  readonly acrossProjects?: true;
}

export function implement<P extends Schema, Q extends Schema, B extends Schema, R extends Schema>(
  contract: RouteContract<P, Q, B, R>,
  handler: RouteHandler<P, Q, B>,
  options: { locateProject?: ProjectLocator; acrossProjects?: true } = {},
): Route {
  if (contract.project === 'target' && !options.locateProject) {
    throw new Error(`route ${contract.id} takes its project from its target but does not say how to find it`);
  }
  return { contract, handler: handler as RouteHandler<Schema, Schema, Schema>, ...options };
}
