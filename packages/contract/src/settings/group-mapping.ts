import * as z from 'zod';
import { roleSchema } from '../roles.ts';
import { idSchema } from '../schemas.ts';

const groupRuleSchema = z.strictObject({
  /** As the directory names it: its DN (or, without a `=`, its name), or the value of the claim. Case does not matter. */
  group: z.string().min(1).max(1024),
  project: idSchema,
  role: roleSchema,
});

/**
 * The roles that groups of a directory give here. If several rules fit, the highest role in a project wins. The next
 * sign-in removes a role that a rule gave and no rule gives any more.
 */
export const groupMappingSchema = z
  .strictObject({
    rules: z.array(groupRuleSchema).max(1000).default([]),
    /** Whether rules may give the role `owner` of a project. A rule never creates an owner of the installation. */
    allow_owner: z.boolean().default(false),
  })
  .prefault({})
  .superRefine(({ rules, allow_owner: mayGiveOwner }, ctx) => {
    for (const [i, { role }] of rules.entries()) {
      if (role === 'owner' && !mayGiveOwner)
        ctx.addIssue({ code: 'custom', path: ['rules', i, 'role'], message: 'owner needs allow_owner' });
    }
  });
export type GroupMapping = z.output<typeof groupMappingSchema>;
