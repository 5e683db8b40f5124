import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, diffLines, splitLines } from './line-diff.ts';
import { joinText, mergeText } from './merge-text.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 8 });
const text = lines.map((each) => each.map((line) => `${line}\n`).join(''));

describe('the difference by line', () => {
  it('transforms one text into the other', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const result: string[] = [];
        let at = 0;
        for (const { fromA, toA, fromB, toB } of diffLines(a, b)) {
          result.push(...a.slice(at, fromA), ...b.slice(fromB, toB));
          at = toA;
        }
        expect([...result, ...a.slice(at)]).toEqual(b);
      }),
    );
  });

  it('counts added and removed lines', () => {
    expect(countLines('a\nb\nc\n', 'a\nx\ny\nc\n')).toEqual({ added: 2, removed: 1 });
    expect(countLines('a\n', 'a\n')).toEqual({ added: 0, removed: 0 });
  });

  it('is a single change if there are more distinct lines than characters', () => {
    const many = Array.from({ length: 70_000 }, (_, index) => `line ${index}`);
    expect(diffLines(many, [])).toEqual([{ fromA: 0, toA: 70_000, fromB: 0, toB: 0 }]);
    expect(diffLines(many, many.with(1, 'x'))).toHaveLength(1);
  });
});

describe('a merge of texts', () => {
  it('takes the side that changed', () => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        expect(joinText(mergeText(base, base, changed), new Map())).toBe(changed);
        expect(joinText(mergeText(base, changed, base), new Map())).toBe(changed);
        expect(joinText(mergeText(base, changed, changed), new Map())).toBe(changed);
      }),
      { numRuns: 500 },
    );
  });

  it('returns the whole text of a side that is chosen everywhere, if the other changed nothing else', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const parts = mergeText(base, mine, theirs);
        const other = mergeText(base, theirs, mine);
        const conflicts = parts.filter(({ kind }) => kind === 'conflict');
        expect(other.filter(({ kind }) => kind === 'conflict')).toHaveLength(conflicts.length);
        if (conflicts.length === 0) expect(joinText(parts, new Map())).toBe(joinText(other, new Map()));
      }),
      { numRuns: 500 },
    );
  });

  it('loses no line that one side added', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        const kept = new Set(
          mergeText(base, mine, theirs).flatMap((part) =>
            part.kind === 'settled' ? part.lines : [...part.mine, ...part.theirs],
          ),
        );
        for (const line of [...splitLines(mine), ...splitLines(theirs)]) {
          if (!splitLines(base).includes(line)) expect(kept).toContain(line);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('combines changes that do not touch, and reports those that do as conflicts', () => {
    const base = 'one\ntwo\nthree\nfour\nfive\n';
    const parts = mergeText(base, 'ONE\ntwo\nthree\nfour!\nfive\n', 'one\ntwo\nthree\nfour?\nfive\nsix\n');
    expect(parts).toEqual([
      { kind: 'settled', lines: ['ONE', 'two', 'three'] },
      { kind: 'conflict', line: 4, base: ['four'], mine: ['four!'], theirs: ['four?'] },
      { kind: 'settled', lines: ['five', 'six'] },
    ]);
    expect(joinText(parts, new Map([[0, 'theirs']]))).toBe('ONE\ntwo\nthree\nfour?\nfive\nsix\n');
  });
});
