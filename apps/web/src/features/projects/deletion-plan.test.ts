import type { DeletionPlan } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { texts } from '../../texts/index.ts';
import { isNameTyped, nameKind, readPlan } from './deletion-plan.ts';

function planOf(...contents: DeletionPlan['contents']): DeletionPlan {
  return { digest: 'd', empty: false, contents, running: [] };
}

describe('the plan of a deletion', () => {
  it('leaves nothing out: named things first, then those that are only counted', () => {
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

  it('says what is other than in the plan before: more, gone, new, and the same number of others', () => {
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

  it('keeps counted things below the named ones also where their count has changed', () => {
    const before = planOf({ kind: 'commands', count: 1, examples: [] });
    const now = planOf(
      { kind: 'commands', count: 2, examples: [] },
      { kind: 'services', count: 1, examples: ['shop'] },
    );
    expect(readPlan(now, before).map(({ kind }) => kind)).toEqual(['services', 'commands']);
  });

  it('has nothing to compare the first time', () => {
    const [line] = readPlan(planOf({ kind: 'clients', count: 1, examples: ['a'] }));
    expect(line?.before).toBeUndefined();
  });
});

it('names what nobody has words for by its table, also when that is the name of something in every object', () => {
  const { kinds } = texts.projects.deletion;
  expect(nameKind('documents', kinds)).toBe('Resources');
  expect(nameKind('job_steps', kinds)).toBe('Job steps');
  expect(nameKind('constructor', kinds)).toBe('Constructor');
});

it('has other words for every kind', () => {
  const words = Object.values(texts.projects.deletion.kinds);
  expect(new Set(words).size).toBe(words.length);
});

it('takes the name letter by letter, with spaces around it', () => {
  expect(isNameTyped(' shop ', 'shop')).toBe(true);
  for (const typed of ['', 'Shop', 'sho', 'shop.', 'sh op']) expect(isNameTyped(typed, 'shop')).toBe(false);
});
