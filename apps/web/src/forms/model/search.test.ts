import { describe, expect, it } from 'vitest';
import { type Option, searchOptions } from './search.ts';

const OPTIONS: readonly Option[] = [
  { id: '1', label: 'Idle timeout', code: 'idle_timeout', group: 'Fields' },
  { id: '2', label: 'Timeout', code: 'timeout', group: 'Fields' },
  { id: '3', label: 'Max timeout of all', code: 'max_timeout', group: 'Fields', hint: 'Ends slow things' },
  { id: '4', label: 'Timeout', code: 'old_timeout', group: 'Deprecated', deprecated: true },
];
const find = (query: string) => searchOptions(OPTIONS, query).map(({ id }) => id);

describe('the search of options', () => {
  it('keeps the given order without a query', () => {
    expect(searchOptions(OPTIONS, '  ')).toBe(OPTIONS);
  });

  it('ranks exact matches before prefixes and other matches, and keeps groups together', () => {
    expect(find('timeout')).toEqual(['2', '1', '3', '4']);
  });

  it('ranks an option with a boost before equal ones', () => {
    const equals: readonly Option[] = [
      { id: 'could be', label: 'Timeout', boost: -1 },
      { id: 'is', label: 'Timeout', boost: 2 },
    ];
    expect(searchOptions(equals, 'timeout').map(({ id }) => id)).toEqual(['is', 'could be']);
  });

  it('requires every word, in any order, in label, name or hint', () => {
    expect(find('timeout max')).toEqual(['3']);
    expect(find('slow')).toEqual(['3']);
    expect(find('idle_time')).toEqual(['1']);
    expect(find('idle nonsense')).toEqual([]);
  });
});
