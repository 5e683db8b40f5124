export interface RuleLines {
  readonly rules: readonly { readonly placeholder: string; readonly regex: string }[];
  /** The line of each rule, from 1. */
  readonly lines: readonly number[];
  /** Lines that are no rule. */
  readonly broken: readonly number[];
}

/** Reads lines such as `id ord-[a-z]{3}`. Empty lines are left out. */
export function readRuleLines(text: string): RuleLines {
  const rules: { placeholder: string; regex: string }[] = [];
  const lines: number[] = [];
  const broken: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const match = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) {
      rules.push({ placeholder: match[1], regex: match[2] });
      lines.push(index + 1);
    } else if (line.trim() !== '') broken.push(index + 1);
  }
  return { rules, lines, broken };
}
