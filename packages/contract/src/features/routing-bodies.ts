import { type BgpDocument, checkDocument, ROUTING_BODIES, type RoutingOperation } from '@flotilla/proto/routing';
import * as z from 'zod';
import { idSchema } from '../schemas.ts';

function bodyOf(operation: RoutingOperation): z.ZodObject {
  const body = z.strictObject({ project: idSchema.optional(), ...ROUTING_BODIES[operation] });
  return 'config' in ROUTING_BODIES[operation] ? body.superRefine(refuseProblems) : body;
}

/** The agent checks the document again, together with the passwords and the state of the host. */
function refuseProblems({ config }: Readonly<Record<string, unknown>>, ctx: z.RefinementCtx): void {
  if (!config) return;
  for (const { path, message } of checkDocument(config as BgpDocument)) {
    ctx.addIssue({ code: 'custom', path: ['config', ...path], message });
  }
}

/** The bodies of the ROUTING commands. The `sub_type` alone selects one. */
export const ROUTING_COMMAND_BODIES = Object.fromEntries(
  (Object.keys(ROUTING_BODIES) as RoutingOperation[]).map((operation) => [`ROUTING ${operation}`, bodyOf(operation)]),
) as { readonly [K in RoutingOperation as `ROUTING ${K}`]: z.ZodObject };
