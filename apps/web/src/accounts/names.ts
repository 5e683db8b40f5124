import { routes } from '../api/index.ts';
import { describeRule, explainValue, rulesOf } from '../ui/index.ts';

/** All records share the rule of names. */
const RULE = rulesOf(routes.project.create).name;
export const NAME_HINT = describeRule(RULE) ?? '';

/** Returns the problem, or undefined for a valid name and for an empty one. */
export function judgeName(name: string): string | undefined {
  return RULE && explainValue(RULE, name);
}
