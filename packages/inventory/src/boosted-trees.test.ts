import { describe, expect, it } from 'vitest';
import { parseTrees, scoreByTrees } from './boosted-trees.ts';
import { listFeatures } from './features.ts';
import { createPlace } from './place.ts';
import { describe as describeSiblings } from './siblings.ts';
import { TREES, WEIGHTS } from './weights.ts';

describe('trees', () => {
  it('add up the leaves to which the limits lead', () => {
    const trees = parseTrees('\n0:1.5 1:0 1:10 1 2 3 4\n1:5 0.5 -0.5\n');
    expect(scoreByTrees([1.5, 0], trees)).toBe(1 + 0.5);
    expect(scoreByTrees([1, 1], trees)).toBe(2 + 0.5);
    expect(scoreByTrees([2, 9], trees)).toBe(3 - 0.5);
    expect(scoreByTrees([2, 11], trees)).toBe(4 - 0.5);
  });

  it('fit the features: as many weights as features, and no tree that looks at another one', () => {
    const siblings = {
      list: [{ value: 'users', place: { ...createPlace(), total: 1 } }],
      pattern: '{}',
      typed: undefined,
      parent: undefined,
      depth: 0,
    };
    const [row = []] = listFeatures(siblings, describeSiblings(siblings));
    expect(WEIGHTS).toHaveLength(row.length);
    expect(TREES.length).toBeGreaterThan(0);
    for (const { features, limits, leaves } of TREES) {
      expect(Math.max(...features)).toBeLessThan(row.length);
      expect([limits.length, leaves.length]).toEqual([features.length, features.length + 1]);
      expect([...limits, ...leaves].every(Number.isFinite)).toBe(true);
    }
  });
});
