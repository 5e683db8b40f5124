export interface Option {
  readonly id: string;
  readonly label: string;
  /** Shown in monospace beside the label: a canonical name, a path. */
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly group?: string | undefined;
  readonly deprecated?: boolean | undefined;
  /** Breaks ties between equal matches: higher comes first. */
  readonly boost?: number | undefined;
}

/**
 * Returns the options that contain every word of the query, best first. Equal ones keep their order, and groups stay together in order of
 * first appearance.
 */
export function searchOptions(options: readonly Option[], query: string): readonly Option[] {
  const words = query
    .toLowerCase()
    .split(/[\s_.]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return options;
  const scored = options.flatMap((option, index) => {
    const score = scoreOption(option, words);
    return score === undefined ? [] : [{ option, index, score }];
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  const groups = new Map<string | undefined, Option[]>();
  for (const { option } of scored) {
    const group = groups.get(option.group);
    if (group) group.push(option);
    else groups.set(option.group, [option]);
  }
  return [...groups.values()].flat();
}

function scoreOption(option: Option, words: readonly string[]): number | undefined {
  const label = option.label.toLowerCase();
  const code = (option.code ?? '').toLowerCase();
  const codeWords = code.split(/[._/]/);
  const hint = (option.hint ?? '').toLowerCase();
  let total = (option.deprecated ? -3 : 0) + (option.boost ?? 0);
  for (const word of words) {
    if (label === word || code === word) total += 12;
    else if (label.startsWith(word)) total += 8;
    else if (label.includes(` ${word}`) || codeWords.some((part) => part.startsWith(word))) total += 5;
    else if (label.includes(word) || code.includes(word)) total += 3;
    else if (hint.includes(word)) total += 1;
    else return undefined;
  }
  return total;
}
