import * as z from 'zod';
import { FAMILIES } from './addresses.ts';
import {
  bgpDocumentSchema,
  communityListSchema,
  neighborSchema,
  prefixListSchema,
  routeMapSchema,
} from './document.ts';
import { addressSchema, objectNameSchema, prefixSchema, sequenceSchema } from './fields.ts';

export const ROUTES_MAX = 5000;
export const ROUTES_DEFAULT = 1000;

/** The change is refused unless the host has this revision. */
const expected = { expected_revision: z.number().int().min(0).optional() };
const set = {
  config: bgpDocumentSchema.nullable().meta({ description: 'Null removes BGP from the host.' }),
  /** Replaces a BGP configuration that somebody else made on the host. */
  replace: z.boolean().optional(),
  ...expected,
};
const neighbor = { neighbor: neighborSchema, ...expected };
const peer = { peer_ip: addressSchema };
/** Without a sequence, all entries of the name. */
const entrySchema = z.strictObject({ name: objectNameSchema, sequence: sequenceSchema.optional() });

/** The members of the body of each ROUTING command, in addition to those of every command. */
export const ROUTING_BODIES = {
  BGP_GET_CONFIG: {},
  BGP_DIFF_CONFIG: { config: set.config, replace: set.replace },
  BGP_SET_CONFIG: set,
  BGP_ADD_NEIGHBOR: neighbor,
  BGP_UPDATE_NEIGHBOR: neighbor,
  BGP_LIST_NEIGHBORS: {},
  BGP_GET_NEIGHBOR: peer,
  BGP_REMOVE_NEIGHBOR: { ...peer, ...expected },
  BGP_GET_POLICY_CONFIG: {},
  BGP_APPLY_PREFIX_LIST: { prefix_list: prefixListSchema, ...expected },
  BGP_REMOVE_PREFIX_LIST: { prefix_list: entrySchema, ...expected },
  BGP_APPLY_COMMUNITY_LIST: { community_list: communityListSchema, ...expected },
  BGP_REMOVE_COMMUNITY_LIST: { community_list: entrySchema, ...expected },
  BGP_APPLY_ROUTE_MAP: { route_map: routeMapSchema, ...expected },
  BGP_REMOVE_ROUTE_MAP: { route_map: entrySchema, ...expected },
  BGP_SHOW_ROUTES: {
    family: z.enum(FAMILIES).optional(),
    /** With a neighbour: its routes in one direction. */
    peer_ip: addressSchema.optional(),
    direction: z.enum(['received', 'advertised']).optional(),
    /** This network and those within it. */
    prefix: prefixSchema.optional(),
    count: z.number().int().min(1).max(ROUTES_MAX).optional(),
  },
  BGP_GET_SUMMARY: {},
  BGP_CLEAR_ROUTES: {
    clear: z.strictObject({
      neighbor: z.union([z.literal('*'), addressSchema]),
      /** Asks for the routes again, or sends them again, without ending the session. */
      soft: z.boolean().default(true),
      direction: z.enum(['in', 'out', 'all']).default('all'),
    }),
  },
} as const satisfies Record<string, z.ZodRawShape>;

export type RoutingOperation = keyof typeof ROUTING_BODIES;

type ChangeName = Exclude<
  RoutingOperation,
  | 'BGP_GET_CONFIG'
  | 'BGP_DIFF_CONFIG'
  | 'BGP_LIST_NEIGHBORS'
  | 'BGP_GET_NEIGHBOR'
  | 'BGP_GET_POLICY_CONFIG'
  | 'BGP_SHOW_ROUTES'
  | 'BGP_GET_SUMMARY'
  | 'BGP_CLEAR_ROUTES'
>;

/** The checked body of an operation. */
export type RoutingBody<K extends RoutingOperation> = z.output<z.ZodObject<(typeof ROUTING_BODIES)[K]>>;

/** A change of the document. */
export type BgpChange = { [K in ChangeName]: { readonly operation: K } & RoutingBody<K> }[ChangeName];
