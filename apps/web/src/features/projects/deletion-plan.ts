import type { DeletionPlan } from '@flotilla/contract';

/** One kind of records that are deleted with a project. */
export interface PlanLine {
  /** Table of the records. */
  readonly kind: string;
  /** 0: all records of the previous plan have been removed. */
  readonly count: number;
  readonly names: readonly string[];
  /** Number of records that `names` omits; 0 for kinds without names. */
  readonly unnamed: number;
  /** Count in the previous plan, if it differed. */
  readonly before: number | undefined;
}

/** Returns the lines of a plan: kinds with names first, then those with only a count. */
export function readPlan(plan: DeletionPlan, before?: DeletionPlan): readonly PlanLine[] {
  const kinds = new Set([...plan.contents, ...(before?.contents ?? [])].map(({ kind }) => kind));
  const lines = [...kinds].map((kind) => readLine(kind, { plan, before }));
  return lines.toSorted((a, b) => rank(a) - rank(b) || (a.kind < b.kind ? -1 : 1));
}

function readLine(kind: string, { plan, before }: { plan: DeletionPlan; before: DeletionPlan | undefined }): PlanLine {
  const now = contentOf(plan, kind);
  const old = before && contentOf(before, kind);
  return {
    kind,
    count: now.count,
    names: now.examples,
    unnamed: now.examples.length === 0 ? 0 : now.count - now.examples.length,
    before: old && isOther(now, old) ? old.count : undefined,
  };
}

type Content = DeletionPlan['contents'][number];

function contentOf(plan: DeletionPlan, kind: string): Content {
  return plan.contents.find((content) => content.kind === kind) ?? { kind, count: 0, examples: [] };
}

function isOther(now: Content, old: Content): boolean {
  return now.count !== old.count || now.examples.join('\n') !== old.examples.join('\n');
}

function rank({ names, count }: PlanLine): number {
  return names.length > 0 || count === 0 ? 0 : 1;
}

/** Names an unknown table: `job_steps` is `Job steps`. */
export function nameKind(kind: string, words: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(words, kind)) return words[kind] ?? kind;
  const plain = kind.replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Whether the typed name matches exactly, apart from surrounding spaces, which copying may add. */
export function isNameTyped(typed: string, name: string): boolean {
  return typed.trim() === name;
}
