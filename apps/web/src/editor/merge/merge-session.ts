import { readJson } from '../document/json-reader.ts';
import { type Language, toValue } from '../document/tree.ts';
import type { Json } from './json.ts';
import { mergeDocuments, resolveConflicts, type Side } from './merge-documents.ts';
import { joinText, mergeText } from './merge-text.ts';
import { texts } from './texts.ts';

const words = texts.mergeSession;

/** A conflict for the user to decide. undefined: the place is empty on that side. */
export interface Decision {
  readonly key: string;
  readonly title: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** A merge of three texts: the open decisions, and the result for each set of choices. */
export interface MergeSession {
  readonly kind: 'structure' | 'lines';
  readonly decisions: readonly Decision[];
  /** Returns the text with the chosen side at each decision, or mine without a choice. */
  resolve(choices: ReadonlyMap<string, Side>): string;
}

/** Merges JSON by structure and YAML by line, to keep comments and order. Invalid JSON also merges by line. */
export function startMerge(texts: Readonly<Record<Side, string>>, language: Language): MergeSession {
  const [base, mine, theirs] = language === 'json' ? [texts.base, texts.mine, texts.theirs].map(parse) : [];
  if (base && mine && theirs) return mergeStructure(base.value, mine.value, theirs.value);
  return mergeLines(texts);
}

function mergeStructure(base: Json, mine: Json, theirs: Json): MergeSession {
  const outcome = mergeDocuments(base, mine, theirs);
  return {
    kind: 'structure',
    decisions: outcome.conflicts.map((conflict) => ({
      key: conflict.path,
      title: conflict.path === '' ? words.mergeStructure.wholeDocument : conflict.path,
      base: conflict.base,
      mine: conflict.mine,
      theirs: conflict.theirs,
    })),
    resolve: (choices) => `${JSON.stringify(resolveConflicts(outcome, choices) ?? {}, null, 2)}\n`,
  };
}

function mergeLines({ base, mine, theirs }: Readonly<Record<Side, string>>): MergeSession {
  const parts = mergeText(base, mine, theirs);
  const conflicts = parts.filter((part) => part.kind === 'conflict');
  const show = (lines: readonly string[]) => (lines.length === 0 ? undefined : lines.join('\n'));
  return {
    kind: 'lines',
    decisions: conflicts.map((part, index) => ({
      key: String(index),
      title: part.base.length === 0 ? words.mergeLines.beforeLine(part.line) : words.mergeLines.fromLine(part.line),
      base: show(part.base),
      mine: show(part.mine),
      theirs: show(part.theirs),
    })),
    resolve: (choices) => joinText(parts, new Map([...choices].map(([key, side]) => [Number(key), side]))),
  };
}

/** Returns undefined for a duplicate key, too: its value is ambiguous, so only lines can be merged. */
function parse(text: string): { value: Json } | undefined {
  const { root, problems } = readJson(text);
  return root && problems.length === 0 ? { value: toValue(root) as Json } : undefined;
}
