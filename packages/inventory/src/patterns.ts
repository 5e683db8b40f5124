import { LinearPattern } from './linear-pattern.ts';
import { OperatorRules, type Rule, type RuleProblem } from './rules.ts';

/** The problems of rules that an operator writes. */
export function compileRules(rules: readonly Rule[]): readonly RuleProblem[] {
  const compiled = OperatorRules.compile(rules);
  return compiled.ok ? [] : compiled.problems;
}

/** A pattern that may match anywhere in a text, in time that is linear in the text; `^` and `$` hold it at an end. Returns a complaint about others. */
export function compileSearch(source: string): LinearPattern | string {
  const isHeldAtStart = source.startsWith('^');
  const isHeldAtEnd = /(?<!\\)\$$/.test(source);
  const body = source.slice(isHeldAtStart ? 1 : 0, isHeldAtEnd ? -1 : undefined);
  return LinearPattern.compile(`${isHeldAtStart ? '' : '.*'}(?:${body})${isHeldAtEnd ? '' : '.*'}`);
}
