import {
  isInterfaceName,
  NETWORK_ACTIONS,
  NETWORK_LIMITS,
  type NetworkResult,
  ROUTE_SCOPES,
  readPolicyOperations,
  readRouteOperations,
  readTableOperations,
} from '@flotilla/proto/commands';
import * as z from 'zod';
import { idSchema } from '../schemas.ts';

const TEXT_MAX = 64;
const { operationsMax, testMinS, testMaxS, listMax, yamlMaxBytes } = NETWORK_LIMITS;

const text = z.string().min(1).max(TEXT_MAX);
const project = { project: idSchema.optional() };
const testTimeout = {
  /** How long the agent tests the change before it takes it back; 10 s by default. */
  test_timeout_seconds: z.number().int().min(testMinS).max(testMaxS).optional(),
};
const action = z.enum(NETWORK_ACTIONS);

const routeSchema = z.strictObject({
  /** A network, or `default`. */
  to: text.optional(),
  via: text.optional(),
  interface: text.optional(),
  /** 254 (main) by default. */
  table: z.number().int().optional(),
  metric: z.number().int().optional(),
  source: text.optional(),
  scope: z.enum(ROUTE_SCOPES).optional(),
  is_default: z.boolean().optional(),
  protocol: z.literal('static').optional(),
  onlink: z.boolean().optional(),
});
const policySchema = z.strictObject({
  from: text.optional(),
  to: text.optional(),
  table: z.number().int(),
  priority: z.number().int(),
  /** The interface whose netplan definition contains the policy. */
  interface: text.optional(),
});
const tableSchema = z.strictObject({ id: z.number().int(), name: text });

const listOf = <Shape extends z.ZodType>(operation: Shape) => z.array(operation).min(1).max(operationsMax);

export const routeManageCommandBody = z
  .strictObject({
    ...project,
    ...testTimeout,
    route_operations: listOf(z.strictObject({ action, route: routeSchema })),
  })
  .superRefine((command, ctx) => refuseWith(readRouteOperations(command), ctx));
export const policyManageCommandBody = z
  .strictObject({
    ...project,
    ...testTimeout,
    policy_operations: listOf(z.strictObject({ action, policy: policySchema })),
  })
  .superRefine((command, ctx) => refuseWith(readPolicyOperations(command), ctx));
export const tableManageCommandBody = z
  .strictObject({
    ...project,
    ...testTimeout,
    table_operations: listOf(z.strictObject({ action, table: tableSchema })),
  })
  .superRefine((command, ctx) => refuseWith(readTableOperations(command), ctx));

/** Selects the entries of a list; all by default. */
const filter = {
  ...project,
  family: z.union([z.literal(4), z.literal(6)]).optional(),
  table: z.number().int().min(1).max(4_294_967_295).optional(),
  limit: z.number().int().min(1).max(listMax).optional(),
};
const interfaceName = z.string().refine(isInterfaceName, 'must be the name of an interface, such as eth0');
export const routeListCommandBody = z.strictObject({ ...filter, interface: interfaceName.optional() });
export const policyListCommandBody = z.strictObject(filter);
export const networkReadCommandBody = z.strictObject(project);

/** The agent checks the document. Control characters cannot be in one. */
const yaml = z
  .string()
  .min(1)
  .max(yamlMaxBytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  .regex(/^[^\u0000-\u0008\u000b-\u001f\u007f]*$/, 'must have no control characters');
/** A change is always tested over the connection to the controller, so the two flags can only be true. */
export const netplanApplyCommandBody = z.strictObject({
  ...project,
  netplan_config: z.strictObject({
    yaml_content: yaml,
    test_mode: z.literal(true).optional(),
    preserve_controller_connection: z.literal(true).optional(),
    ...testTimeout,
  }),
});
/** `generation` is a number of SUB_NETPLAN_GET; the previous one by default. */
export const netplanRollbackCommandBody = z.strictObject({
  ...project,
  ...testTimeout,
  generation: z.number().int().min(0).optional(),
});

function refuseWith(read: NetworkResult<unknown>, ctx: z.RefinementCtx): void {
  if (!read.ok) ctx.addIssue({ code: 'custom', path: [...read.error.at], message: read.error.message });
}
