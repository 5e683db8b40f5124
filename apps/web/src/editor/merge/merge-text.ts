import { diffLines, type LineChange, splitLines } from './line-diff.ts';

/** A part of the merged text: either merged, or changed differently by both sides. */
export type TextPart =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict';
      /** 1-based line of the base at which it begins. */
      readonly line: number;
      readonly base: readonly string[];
      readonly mine: readonly string[];
      readonly theirs: readonly string[];
    };

/**
 * Merges two versions of one text by line. Takes changes of one side, and equal changes once; changes that touch or
 * overlap conflict.
 */
export function mergeText(base: string, mine: string, theirs: string): TextPart[] {
  const [before, ours, others] = [base, mine, theirs].map(splitLines) as [string[], string[], string[]];
  const [left, right] = [diffLines(before, ours), diffLines(before, others)];
  const parts: TextPart[] = [];
  let [at, l, r] = [0, 0, 0];
  // Line offsets of each side against the base.
  let [shiftL, shiftR] = [0, 0];
  while (l < left.length || r < right.length) {
    const from = Math.min(left[l]?.fromA ?? Infinity, right[r]?.fromA ?? Infinity);
    let to = from;
    const [startL, startR] = [l, r];
    for (;;) {
      const [nextL, nextR] = [left[l], right[r]];
      if (nextL && touches(nextL, from, to, l > startL || r > startR)) {
        to = Math.max(to, nextL.toA);
        l += 1;
      } else if (nextR && touches(nextR, from, to, l > startL || r > startR)) {
        to = Math.max(to, nextR.toA);
        r += 1;
      } else break;
    }
    if (from > at) parts.push({ kind: 'settled', lines: before.slice(at, from) });
    const [growL, growR] = [growthOf(left.slice(startL, l)), growthOf(right.slice(startR, r))];
    const mineLines = ours.slice(from + shiftL, to + shiftL + growL);
    const theirLines = others.slice(from + shiftR, to + shiftR + growR);
    const changed = [l > startL, r > startR];
    if (!changed[0]) parts.push({ kind: 'settled', lines: theirLines });
    else if (!changed[1] || isSame(mineLines, theirLines)) parts.push({ kind: 'settled', lines: mineLines });
    else
      parts.push({
        kind: 'conflict',
        line: from + 1,
        base: before.slice(from, to),
        mine: mineLines,
        theirs: theirLines,
      });
    shiftL += growL;
    shiftR += growR;
    at = to;
  }
  if (at < before.length) parts.push({ kind: 'settled', lines: before.slice(at) });
  return joinSettled(parts);
}

function touches(change: LineChange, from: number, to: number, started: boolean): boolean {
  return started ? change.fromA <= to : change.fromA === from;
}

function growthOf(changes: readonly LineChange[]): number {
  return changes.reduce((sum, { fromA, toA, fromB, toB }) => sum + (toB - fromB) - (toA - fromA), 0);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

function joinSettled(parts: readonly TextPart[]): TextPart[] {
  const joined: TextPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === 'settled' && last?.kind === 'settled')
      joined[joined.length - 1] = { kind: 'settled', lines: [...last.lines, ...part.lines] };
    else joined.push(part);
  }
  return joined;
}

/** Returns the text with the chosen side at each conflict, by its number from 0, or mine without a choice. */
export function joinText(parts: readonly TextPart[], choices: ReadonlyMap<number, 'base' | 'mine' | 'theirs'>): string {
  let conflict = -1;
  const lines = parts.flatMap((part) => {
    if (part.kind === 'settled') return part.lines;
    conflict += 1;
    return part[choices.get(conflict) ?? 'mine'];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
