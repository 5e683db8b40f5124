import { setImmediate } from 'node:timers/promises';
import { PATH_RULES_LISTED_MAX, type PathRenaming, type PathRulesPreview } from '@flotilla/contract';
import { OperatorRules, type Rule } from '@flotilla/inventory';
import type { listBusiest } from './store.ts';

type Row = Awaited<ReturnType<typeof listBusiest>>[number];

const NONE = { scanned: 0, truncated: false, moves: 0, merges: 0, unforeseen: 0, renamings: [], matches: [] };
/** Operations between two pauses: rules with 64 patterns take some microseconds for each new segment. */
const SLICE = 200;
const SEGMENTS_SHOWN = 5;
const SEGMENTS_REMEMBERED = 100_000;

/**
 * Says what rules would do to operations whose paths were recorded, the ones with the most requests first. A rule replaces segments that match. Segments that a placeholder
 * has replaced before are not known any more: a rule may divide the operations that have one, and the answer says how many these are.
 */
export async function previewRules(
  rules: readonly Rule[],
  rows: readonly Row[],
  isTruncated: boolean,
): Promise<PathRulesPreview> {
  const compiled = OperatorRules.compile(rules);
  if (!compiled.ok)
    return { problems: compiled.problems.map((problem) => ({ ...problem })), ...NONE, paths_recorded: false };
  const singles = rules.map((rule) => OperatorRules.compile([rule]));
  const preview = new Preview(
    compiled.rules,
    singles.map((one) => (one.ok ? one.rules : OperatorRules.NONE)),
  );
  for (const [at, row] of rows.entries()) {
    preview.add(row);
    if (at % SLICE === SLICE - 1) await setImmediate();
  }
  return { problems: [], scanned: rows.length, truncated: isTruncated, ...preview.end(rows), paths_recorded: false };
}

class Preview {
  readonly #rules: OperatorRules;
  readonly #singles: readonly OperatorRules[];
  readonly #renamings: PathRenaming[] = [];
  readonly #matches: { segments: Set<string>; count: number }[];
  #unforeseen = 0;
  readonly #known = new Map<string, { placeholder: string | undefined; by: number }>();

  constructor(rules: OperatorRules, singles: readonly OperatorRules[]) {
    this.#rules = rules;
    this.#singles = singles;
    this.#matches = singles.map(() => ({ segments: new Set(), count: 0 }));
  }

  add({ id, method, host, path, operation, seen }: Row): void {
    // Operations of GraphQL and gRPC have other names.
    if (operation !== '' || this.#singles.length === 0) return;
    if (path.split('/').some(isPlaceholder)) this.#unforeseen += 1;
    const to = path
      .split('/')
      .map((segment) => this.#replace(segment))
      .join('/');
    if (to === path) return;
    const renamed = { operation_id: id, method, host, normalized_path: path, to: [to], seen_count: seen };
    this.#renamings.push({ kind: 'moves', ...renamed });
  }

  end(rows: readonly Row[]): Pick<PathRulesPreview, 'moves' | 'merges' | 'unforeseen' | 'renamings' | 'matches'> {
    const taken = new Set(rows.map((row) => keyOf(row.method, row.host, row.path)));
    let merges = 0;
    for (const { method, host, to } of this.#renamings) {
      const key = keyOf(method, host, to[0] ?? '');
      if (taken.has(key)) merges += 1;
      taken.add(key);
    }
    return {
      moves: this.#renamings.length,
      merges,
      unforeseen: this.#unforeseen,
      renamings: this.#renamings.slice(0, PATH_RULES_LISTED_MAX),
      matches: this.#matches.map(({ segments, count }, index) => ({ index, segments: [...segments], count })),
    };
  }

  /** The first rule that matches decides, as for a request. */
  #replace(segment: string): string {
    if (segment === '' || isPlaceholder(segment)) return segment;
    const { placeholder, by } = this.#match(segment);
    const match = this.#matches[by];
    if (placeholder === undefined || match === undefined) return segment;
    match.count += 1;
    if (match.segments.size < SEGMENTS_SHOWN) match.segments.add(segment);
    return placeholder;
  }

  #match(segment: string) {
    const known = this.#known.get(segment);
    if (known !== undefined) return known;
    const placeholder = this.#rules.placeholderFor(segment);
    const by =
      placeholder === undefined ? -1 : this.#singles.findIndex((one) => one.placeholderFor(segment) !== undefined);
    const found = { placeholder, by };
    if (this.#known.size < SEGMENTS_REMEMBERED) this.#known.set(segment, found);
    return found;
  }
}

const isPlaceholder = (segment: string) => segment.startsWith('{');
const keyOf = (method: string, host: string, path: string) => `${method} ${host} ${path}`;
