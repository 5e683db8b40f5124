import { err, ok, type Result } from '@flotilla/kit';
import type { Operation, PolicySpec } from '@flotilla/proto/commands';
import { isEditable, ruleKey, ruleLine, STATIC } from './ip-lines.ts';
import type { KernelState, Problem, Rule } from './types.ts';

export interface PolicyPlan {
  readonly lines: readonly string[];
  readonly removed: readonly Rule[];
  readonly added: readonly Rule[];
}

/** Plans a batch against the rules of the kernel. A policy is identified by its version and priority. */
export function planPolicies(
  { rules, links }: KernelState,
  operations: ReadonlyArray<Operation<PolicySpec>>,
): Result<PolicyPlan, Problem> {
  let current = [...rules];
  const lines: string[] = [];
  for (const [i, { action, spec }] of operations.entries()) {
    const refuse = (code: string, message: string) => err({ code, message: `policy_operations.${i}: ${message}` });
    const { family, priority, interface: name } = spec;
    if (action !== 'DELETE' && !links.some((link) => link.name === name))
      return refuse('network.no_interface', `this host has no interface ${name}`);
    const there = current.filter((rule) => rule.family === family && rule.priority === priority);
    const foreign = there.find((rule) => !isEditable(rule) || rule.isPartial);
    if (foreign)
      return refuse(
        'network.protected',
        `the rule of IPv${family} with priority ${priority} comes from another program`,
      );
    const added = toRule(spec);
    if (action === 'DELETE') {
      const found = there.find((rule) => ruleKey(rule) === ruleKey(added));
      if (!found) return refuse('network.not_found', `there is no such policy with priority ${priority}`);
      lines.push(ruleLine('del', found));
      current = current.filter((rule) => rule !== found);
      continue;
    }
    if (action === 'ADD' && there.length > 0)
      return refuse('network.exists', `IPv${family} has a policy with priority ${priority}; use REPLACE`);
    // The new rule is there before the old one is deleted.
    const isSame = there.some((rule) => ruleKey(rule) === ruleKey(added));
    const outdated = there.filter((rule) => ruleKey(rule) !== ruleKey(added));
    lines.push(...(isSame ? [] : [ruleLine('add', added)]), ...outdated.map((rule) => ruleLine('del', rule)));
    current = [...current.filter((rule) => !outdated.includes(rule)), ...(isSame ? [] : [added])];
  }
  return ok({
    lines,
    removed: rules.filter((rule) => !current.includes(rule)),
    added: current.filter((rule) => !rules.includes(rule)),
  });
}

export function toRule({ family, from, to, table, priority }: PolicySpec): Rule {
  return { family, priority, from, to, table, protocol: STATIC, isPartial: false };
}
