import { describe, expect, it } from 'vitest';
import { FindingIndex, isSameFindings } from './findings.ts';

const finding = (path: string, message = 'must be well') => ({ path, rule: 'r', message });

describe('the findings of a check', () => {
  const index = new FindingIndex([
    finding('a.b[0]["odd key"].c'),
    finding('a.b[0]'),
    finding('a.b[10]'),
    finding(''),
    finding('["a"].x'),
  ]);

  it('are returned by path', () => {
    expect(index.at('a.b[0]').map(({ path }) => path)).toEqual(['a.b[0]']);
    expect(index.at('a.b[0]["odd key"].c')).toHaveLength(1);
    expect(index.at('')).toHaveLength(1);
    expect(index.at('a')).toHaveLength(0);
  });

  it('are counted by everything that contains them', () => {
    expect(index.count('a.b[0]')).toBe(2);
    expect(index.count('a.b[1]')).toBe(0);
    expect(index.count('a.b')).toBe(3);
    expect(index.count('a')).toBe(4);
    expect(index.count('')).toBe(5);
  });

  it('are found by every spelling of their path', () => {
    expect(index.at('a.x')).toHaveLength(1);
  });

  it('are the same empty list for every path without any', () => {
    expect(index.at('a')).toBe(index.at('z'));
  });

  it('are equal if they have the same content', () => {
    expect(isSameFindings([finding('a')], [finding('a')])).toBe(true);
    expect(isSameFindings([finding('a')], [finding('a', 'must be better')])).toBe(false);
    expect(isSameFindings([finding('a')], [])).toBe(false);
  });
});
