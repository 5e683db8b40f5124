import * as z from 'zod';
import { roleSchema } from '../roles.ts';
import { idSchema } from '../schemas.ts';

const groupRuleSchema = z.strictObject({
  /** As the directory calls it: its DN (or, without a `=`, its name), or what the claim holds. Case does not matter. */
  group: z.string().min(1).max(1024),
  project: idSchema,
  role: roleSchema,
});

/**
 * What the groups of a directory are worth here. Of several rules that fit, the highest role in a project holds; what
 * no rule gives any more is taken away at the next sign-in, if it was a rule that gave it.
 */
export const groupMappingSchema = z
  .strictObject({
    rules: z.array(groupRuleSchema).max(1000).default([]),
    /** Whether rules may give the role `owner` of a project. No rule ever makes an owner of the installation. */
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

/** Whether the address is this very machine's: what is sent there, nobody on a network sees. */
export function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
