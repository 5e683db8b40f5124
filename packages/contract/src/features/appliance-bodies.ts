import { SUPPORT_BUNDLE_ID, SUPPORT_BUNDLE_LIMITS } from '@flotilla/proto/commands';
import * as z from 'zod';
import { idSchema } from '../schemas.ts';

const projectOf = { project: idSchema.optional() };

export const bundleIdSchema = z.string().regex(SUPPORT_BUNDLE_ID, 'must be the id of a bundle: 32 hexadecimal digits');

const hostBody = z.strictObject(projectOf);
/** `kind` is what to create; there is one kind. */
const createBody = z.strictObject({ ...projectOf, kind: z.literal('SUPPORT_BUNDLE').optional() });
/** Reads `length` bytes from `offset`; by default the first MiB. */
const readBody = z.strictObject({
  ...projectOf,
  artifact_id: bundleIdSchema,
  offset: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  length: z.number().int().min(1).max(SUPPORT_BUNDLE_LIMITS.chunkMax).optional(),
});
const deleteBody = z.strictObject({ ...projectOf, artifact_id: bundleIdSchema });

/** The bodies of commands about appliances. */
export const APPLIANCE_COMMAND_BODIES = {
  'APPLIANCE SUB_STATUS': hostBody,
  'APPLIANCE SUB_BUNDLE_LIST': hostBody,
  'APPLIANCE SUB_BUNDLE_CREATE': createBody,
  'APPLIANCE SUB_BUNDLE_READ': readBody,
  'APPLIANCE SUB_BUNDLE_DELETE': deleteBody,
} as const;
