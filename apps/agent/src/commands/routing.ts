import { AppError } from '@flotilla/kit';
import { type BgpChange, ROUTING_BODIES, type RoutingBody, type RoutingOperation } from '@flotilla/proto/routing';
import * as z from 'zod';
import type { RoutingSuite } from '../routing/routing-suite.ts';
import type { CommandOutcome } from './outcome.ts';

export interface RoutingCommandOptions {
  readonly host: { routing(): Promise<RoutingSuite> };
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onStep: (step: string, text: string) => void;
}

type Handler = (command: { readonly commandId: string }, options: RoutingCommandOptions) => Promise<CommandOutcome>;

interface RunContext extends Pick<RoutingCommandOptions, 'signal' | 'onStep'> {
  readonly commandId: string;
}

type Run<K extends RoutingOperation> = (
  suite: RoutingSuite,
  body: RoutingBody<K>,
  context: RunContext,
) => Promise<unknown>;

const RUNS: { readonly [K in RoutingOperation]: Run<K> } = {
  BGP_GET_CONFIG: (suite) => suite.config(),
  BGP_DIFF_CONFIG: (suite, body) => suite.diff({ operation: 'BGP_SET_CONFIG', ...body }),
  BGP_SET_CONFIG: (suite, body, options) => apply(suite, { operation: 'BGP_SET_CONFIG', ...body }, options),
  BGP_ADD_NEIGHBOR: (suite, body, options) => apply(suite, { operation: 'BGP_ADD_NEIGHBOR', ...body }, options),
  BGP_UPDATE_NEIGHBOR: (suite, body, options) => apply(suite, { operation: 'BGP_UPDATE_NEIGHBOR', ...body }, options),
  BGP_LIST_NEIGHBORS: (suite, _, { signal }) => suite.answers.neighbors(signal),
  BGP_GET_NEIGHBOR: (suite, { peer_ip }, { signal }) => suite.answers.neighbor(peer_ip, signal),
  BGP_REMOVE_NEIGHBOR: (suite, body, options) => apply(suite, { operation: 'BGP_REMOVE_NEIGHBOR', ...body }, options),
  BGP_GET_POLICY_CONFIG: async ({ document }) => ({
    policy_config: {
      route_maps: document?.route_maps ?? [],
      prefix_lists: document?.prefix_lists ?? [],
      community_lists: document?.community_lists ?? [],
      as_path_lists: document?.as_path_lists ?? [],
    },
  }),
  BGP_APPLY_PREFIX_LIST: (suite, body, options) =>
    apply(suite, { operation: 'BGP_APPLY_PREFIX_LIST', ...body }, options),
  BGP_REMOVE_PREFIX_LIST: (suite, body, options) =>
    apply(suite, { operation: 'BGP_REMOVE_PREFIX_LIST', ...body }, options),
  BGP_APPLY_COMMUNITY_LIST: (suite, body, options) =>
    apply(suite, { operation: 'BGP_APPLY_COMMUNITY_LIST', ...body }, options),
  BGP_REMOVE_COMMUNITY_LIST: (suite, body, options) =>
    apply(suite, { operation: 'BGP_REMOVE_COMMUNITY_LIST', ...body }, options),
  BGP_APPLY_ROUTE_MAP: (suite, body, options) => apply(suite, { operation: 'BGP_APPLY_ROUTE_MAP', ...body }, options),
  BGP_REMOVE_ROUTE_MAP: (suite, body, options) => apply(suite, { operation: 'BGP_REMOVE_ROUTE_MAP', ...body }, options),
  BGP_SHOW_ROUTES: (suite, body, { signal }) => suite.answers.routes(body, signal),
  BGP_GET_SUMMARY: (suite, _, { signal }) => suite.answers.summary(signal),
  BGP_CLEAR_ROUTES: async (suite, body) => {
    await suite.answers.clear(body, suite.document);
    return { cleared: body.clear.neighbor };
  },
};

function apply(suite: RoutingSuite, change: BgpChange, { commandId, onStep }: RunContext) {
  return suite.apply({ change, commandId, onStep });
}

function handlerOf<K extends RoutingOperation>(operation: K): Handler {
  const schema = z.strictObject(ROUTING_BODIES[operation] as z.ZodRawShape);
  return async ({ commandId }, options) => {
    const suite = await options.host.routing();
    // The controller has checked the body, too.
    const parsed = schema.safeParse(options.payload);
    if (!parsed.success) return refuseBody(parsed.error.issues[0]);
    try {
      const run: Run<K> = RUNS[operation];
      return { outcome: 'done', result: await run(suite, parsed.data as RoutingBody<K>, { ...options, commandId }) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { outcome: 'failed', code: error.code, message: error.message };
    }
  };
}

function refuseBody(issue: z.core.$ZodIssue | undefined): CommandOutcome {
  const message = `${issue?.path.join('.')}: ${issue?.message}`;
  return { outcome: 'refused', code: 'routing.invalid', message };
}

export const ROUTING_HANDLERS = Object.fromEntries(
  (Object.keys(ROUTING_BODIES) as RoutingOperation[]).map((operation) => [
    `ROUTING ${operation}`,
    handlerOf(operation),
  ]),
) as { readonly [K in RoutingOperation as `ROUTING ${K}`]: Handler };
