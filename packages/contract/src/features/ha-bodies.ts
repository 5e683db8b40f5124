import * as z from 'zod';
import { idSchema } from '../schemas.ts';

const projectOf = { project: idSchema.optional() };

const memberBody = z.strictObject(projectOf);
/** With `force`, a peer that is not ready gets the addresses, too. */
const failoverBody = z.strictObject({ ...projectOf, force: z.boolean() });
const maintenanceBody = z.strictObject({ ...projectOf, enabled: z.boolean(), force: z.boolean() });

/** A member whose peer is active and not heard stands by for this long. */
const yieldBody = z.strictObject({ ...projectOf, hold_ms: z.int().min(0).max(600_000) });

/** The bodies of commands for members of HA pairs. Only the program and the routes of pairs send the last three. */
export const HA_COMMAND_BODIES = {
  'HA SUB_STATUS': memberBody,
  'HA SUB_HA_RESEND_GARP': memberBody,
  'HA SUB_HA_CLEAR': memberBody,
  'HA SUB_HA_START_ALONE': memberBody,
  'HA SUB_FAILOVER': failoverBody,
  'HA SUB_MAINTENANCE': maintenanceBody,
  'HA SUB_YIELD': yieldBody,
} as const;
