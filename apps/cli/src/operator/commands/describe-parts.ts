interface Part {
  readonly kind: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** Lists what a deletion also deletes, one line for each kind: `  3 api tokens: ci, probe, ...`. */
export function describeParts<P extends Part>(parts: readonly P[], fateOf: (part: P) => string = () => ''): string[] {
  return parts.map((part) => {
    const { kind, count, examples } = part;
    const names = examples.length === 0 ? '' : `: ${examples.join(', ')}${count > examples.length ? ', ...' : ''}`;
    return `  ${count} ${kind.replaceAll('_', ' ')}${fateOf(part)}${names}`;
  });
}
