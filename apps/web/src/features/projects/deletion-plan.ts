import type { DeletionPlan } from '@flotilla/contract';

/** One kind of things that go with a project. */
export interface PlanLine {
  /** Table in the plan. */
  readonly kind: string;
  /** 0: they were there in the plan before, and are gone. */
  readonly count: number;
  readonly names: readonly string[];
  /** How many are left out of `names`; 0 for kinds whose things have no names. */
  readonly unnamed: number;
  /** Count in the plan before, where that plan said something else. */
  readonly before: number | undefined;
}

/** Everything in a plan: what people know by name first, then what only is counted. */
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

/** A table's name for people, where nobody has found words for it: `job_steps` is `Job steps`. */
export function nameKind(kind: string, words: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(words, kind)) return words[kind] ?? kind;
  const plain = kind.replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Spaces around it come with copying; anything else must be the name, letter by letter. */
export function isNameTyped(typed: string, name: string): boolean {
  return typed.trim() === name;
}
