import type { DeletionPlan } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { isNameTyped, nameKind, readPlan } from './deletion-plan.ts';
import { texts } from './texts.tsx';

function planOf(...contents: DeletionPlan['contents']): DeletionPlan {
  return { digest: 'd', empty: false, contents, running: [] };
}

describe('the plan of a deletion', () => {
  it('lists all kinds: those with names first, then those with only a count', () => {
    const plan = planOf(
      { kind: 'commands', count: 7, examples: [] },
      { kind: 'services', count: 1, examples: ['shop'] },
      { kind: 'clients', count: 22, examples: ['a', 'b'] },
      { kind: 'never_heard_of', count: 3, examples: [] },
    );
    expect(readPlan(plan).map(({ kind, count, names, unnamed }) => [kind, count, names, unnamed])).toEqual([
      ['clients', 22, ['a', 'b'], 20],
      ['services', 1, ['shop'], 0],
      ['commands', 7, [], 0],
      ['never_heard_of', 3, [], 0],
    ]);
  });

  it('shows the differences to the previous plan: added, removed, new kinds, and the same number of other records', () => {
    const before = planOf(
      { kind: 'clients', count: 1, examples: ['a'] },
      { kind: 'groups', count: 1, examples: ['ops'] },
      { kind: 'policies', count: 1, examples: ['strict'] },
      { kind: 'documents', count: 1, examples: ['web'] },
    );
    const now = planOf(
      { kind: 'clients', count: 2, examples: ['a', 'b'] },
      { kind: 'policies', count: 1, examples: ['loose'] },
      { kind: 'services', count: 1, examples: ['shop'] },
      { kind: 'documents', count: 1, examples: ['web'] },
    );
    const found = Object.fromEntries(readPlan(now, before).map((line) => [line.kind, [line.before, line.count]]));
    expect(found).toEqual({
      clients: [1, 2],
      groups: [1, 0],
      policies: [1, 1],
      services: [0, 1],
      documents: [undefined, 1],
    });
  });

  it('lists kinds with only a count below kinds with names, even if their count has changed', () => {
    const before = planOf({ kind: 'commands', count: 1, examples: [] });
    const now = planOf(
      { kind: 'commands', count: 2, examples: [] },
      { kind: 'services', count: 1, examples: ['shop'] },
    );
    expect(readPlan(now, before).map(({ kind }) => kind)).toEqual(['services', 'commands']);
  });

  it('has no differences the first time', () => {
    const [line] = readPlan(planOf({ kind: 'clients', count: 1, examples: ['a'] }));
    expect(line?.before).toBeUndefined();
  });
});

it('an unknown kind is named by its table, even if that is a property of all objects', () => {
  const { kinds } = texts.deletion;
  expect(nameKind('documents', kinds)).toBe('Resources');
  expect(nameKind('job_steps', kinds)).toBe('Job steps');
  expect(nameKind('constructor', kinds)).toBe('Constructor');
});

it('every kind has different words', () => {
  const words = Object.values(texts.deletion.kinds);
  expect(new Set(words).size).toBe(words.length);
});

it('the typed name must match exactly, apart from spaces around it', () => {
  expect(isNameTyped(' shop ', 'shop')).toBe(true);
  for (const typed of ['', 'Shop', 'sho', 'shop.', 'sh op']) expect(isNameTyped(typed, 'shop')).toBe(false);
});
