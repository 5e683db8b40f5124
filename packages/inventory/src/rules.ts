import { LinearPattern } from './linear-pattern.ts';
import type { Placeholder } from './placeholders.ts';

/** Segments that match the pattern as a whole are values. */
export interface Rule {
  readonly regex: string;
  readonly placeholder: string;
}

export const RULES_MAX = 64;
export const RULE_CHARACTERS_MAX = 256;
export const RULE_QUANTIFIERS_MAX = 4;

/** The others have a meaning that only detectors may give. */
const ASSIGNABLE: readonly Placeholder[] = ['{id}', '{uuid}', '{objectid}', '{ulid}', '{token}', '{dynamic}'];
/** A pattern that matches two of these would merge operations. */
const PROBE_WORDS = ['users', 'api', 'health', 'orders', 'v1', 'a', 'x'];

export interface RuleProblem {
  readonly index: number;
  readonly message: string;
}

export type CompiledRules =
  | { readonly ok: true; readonly rules: OperatorRules }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] };

/** The first rule that matches a segment decides. */
export class OperatorRules {
  readonly #rules: readonly { readonly pattern: LinearPattern; readonly placeholder: Placeholder }[];

  private constructor(rules: readonly { readonly pattern: LinearPattern; readonly placeholder: Placeholder }[]) {
    this.#rules = rules;
  }

  static readonly NONE = new OperatorRules([]);

  static compile(rules: readonly Rule[]): CompiledRules {
    if (rules.length > RULES_MAX)
      return { ok: false, problems: [{ index: RULES_MAX, message: `there may be at most ${RULES_MAX} rules` }] };
    const problems: RuleProblem[] = [];
    const compiled: { pattern: LinearPattern; placeholder: Placeholder }[] = [];
    for (const [index, rule] of rules.entries()) {
      const one = compileRule(rule);
      if (typeof one === 'string') problems.push({ index, message: one });
      else compiled.push(one);
    }
    return problems.length === 0 ? { ok: true, rules: new OperatorRules(compiled) } : { ok: false, problems };
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  placeholderFor(segment: string): Placeholder | undefined {
    return this.#rules.find(({ pattern }) => pattern.test(segment))?.placeholder;
  }
}

function compileRule({ regex, placeholder }: Rule): { pattern: LinearPattern; placeholder: Placeholder } | string {
  const known = ASSIGNABLE.find((name) => name === placeholder || name === `{${placeholder}}`);
  if (known === undefined) return `the placeholder must be one of ${ASSIGNABLE.join(', ')}`;
  if (regex.length === 0 || regex.length > RULE_CHARACTERS_MAX)
    return `the pattern must have 1 to ${RULE_CHARACTERS_MAX} characters`;
  if ((regex.match(/[+*?{]/g) ?? []).length > RULE_QUANTIFIERS_MAX)
    return `the pattern may have at most ${RULE_QUANTIFIERS_MAX} of + * ? {`;
  const pattern = LinearPattern.compile(regex);
  if (typeof pattern === 'string') return `the pattern ${pattern}`;
  const matched = PROBE_WORDS.filter((word) => pattern.test(word));
  if (matched.length >= 2) return `the pattern is too broad: it matches ${matched.join(', ')}`;
  return { pattern, placeholder: known };
}
