import { describe, expect, it } from 'vitest';
import { describeField, message, scalar } from '../testing/descriptions.ts';
import { checkKey, checkValue } from './check-value.ts';
import { describeRules } from './describe-rules.ts';
import { itemField, keyField } from './rules.ts';

const field = (type: string, rules: object) =>
  describeField('x', { value: scalar(type), constraint: { [type]: rules } });
const duration = (rules: object) =>
  describeField('x', { value: message('google.protobuf.Duration'), constraint: { duration: rules } });

describe('the check of a value', () => {
  it.each([
    [field('uint32', { lte: 65_535 }), 65_536, 'must be at most 65535'],
    [field('uint32', { gt: 0 }), 0, 'must be greater than 0'],
    [field('uint64', { gte: '1024' }), '5', 'must be at least 1024'],
    [field('double', { lte: 1 }), 'NaN', 'must be at most 1'],
    [field('int32', { lt: 5, gt: 10 }), 7, 'must be greater than 10 or less than 5'],
    [field('uint32', { in: [1, 2] }), 3, 'must be one of 1, 2'],
    [field('string', { min_len: '1' }), '', 'must not be empty'],
    [field('string', { max_len: '3' }), 'abcd', 'must be at most 3 characters long'],
    [field('string', { min_bytes: '3' }), 'ä', 'must be at least 3 bytes long'],
    [field('string', { prefix: '/' }), 'x', 'must start with "/"'],
    [field('string', { pattern: '^[^?#]+$' }), 'a?b', 'must match ^[^?#]+$'],
    [field('string', { well_known_regex: 'HTTP_HEADER_NAME' }), 'a b', 'must be a header name'],
    [field('string', { well_known_regex: 'HTTP_HEADER_VALUE', strict: false }), 'a\nb', 'must be a header value'],
    [field('bool', { const: true }), false, 'must be true'],
    [duration({ gt: '0s' }), '0s', 'must be greater than 0s'],
    [duration({ gte: '0.001s' }), '0s', 'must be at least 0.001s'],
    [duration({}), '5 parsecs', 'must be a duration such as 500ms, 5s or 2m'],
  ])('field %j rejects %j', (rules, value, problem) => {
    expect(checkValue(rules, value)).toEqual([problem]);
  });

  it.each([
    [field('uint32', { lte: 65_535 }), 65_535],
    [field('int32', { lt: 5, gt: 10 }), 11],
    [field('string', { min_len: '1', ignore_empty: true }), ''],
    [field('string', { pattern: '(?i)[a-z]+' }), 'ABC'],
    [field('string', { max_len: '3' }), '👍👍👍'],
    [duration({ gt: '0s' }), '0.5s'],
    [describeField('x', { value: message('google.protobuf.UInt32Value') }), 3],
    [describeField('x', { value: message('google.protobuf.Value') }), [1]],
  ])('field %j accepts %j', (rules, value) => {
    expect(checkValue(rules, value)).toEqual([]);
  });

  it('leaves a pattern that browsers do not support to the server', () => {
    expect(checkValue(field('string', { pattern: '(?<=' }), 'anything')).toEqual([]);
  });

  it('accepts the values of an enum in the spellings that Envoy accepts', () => {
    const values = [
      { name: 'AUTO', number: 0, deprecated: false, disallowed: false },
      { name: 'OLD_ONE', number: 1, deprecated: true, disallowed: true },
    ];
    const kind = describeField('x', {
      value: { kind: 'enum', type: 'E', values },
      constraint: { enum: { defined_only: true } },
    });
    expect(checkValue(kind, 'AUTO')).toEqual([]);
    expect(checkValue(kind, 'auto')).toEqual([]);
    expect(checkValue(kind, 0)).toEqual([]);
    expect(checkValue(kind, 7)).toEqual(['must be one of AUTO, OLD_ONE']);
    expect(checkValue(kind, 'NONE')).toEqual(['must be AUTO, not a text']);
    expect(checkValue(kind, 'old-one')).toEqual(['must not be this value: Envoy refuses it by default']);
  });

  it('counts the items of a list and the pairs of a map, and finds duplicates', () => {
    const list = describeField('x', {
      shape: 'list',
      constraint: { repeated: { min_items: '1', max_items: '2', unique: true } },
    });
    expect(checkValue(list, [])).toEqual(['must have at least 1 item']);
    expect(checkValue(list, ['a', 'b', 'c'])).toEqual(['must have at most 2 items']);
    expect(checkValue(list, ['a', 'a'])).toEqual(['must not contain "a" twice']);
    expect(checkValue(list, {})).toEqual(['must be a list']);
    const map = describeField('x', { shape: 'map', key_type: 'string', constraint: { map: { min_pairs: '1' } } });
    expect(checkValue(map, {})).toEqual(['must have at least 1 pair']);
  });

  it('applies the rules of items and keys', () => {
    const list = describeField('x', {
      shape: 'list',
      constraint: { repeated: { items: { string: { min_len: '1' } } } },
    });
    expect(checkValue(itemField(list), '')).toEqual(['must not be empty']);
    expect(itemField(list)).toBe(itemField(list));
    const map = describeField('x', {
      shape: 'map',
      key_type: 'string',
      constraint: { map: { keys: { string: { max_bytes: '2' } } } },
    });
    expect(checkKey('abc', { field: keyField(map), others: [] })).toBe('must be at most 2 bytes long');
  });

  it('finds keys that are empty, duplicate or of another type', () => {
    const words = keyField(describeField('x', { shape: 'map', key_type: 'string' }));
    const numbers = keyField(describeField('x', { shape: 'map', key_type: 'uint32' }));
    expect(checkKey('', { field: words, others: [] })).toBe('must not be empty');
    expect(checkKey('a', { field: words, others: ['a'] })).toBe('must be unique: "a"');
    expect(checkKey('a', { field: numbers, others: [] })).toBe(
      'must be a whole number from 0 to 4294967295, not a text',
    );
    expect(checkKey('7', { field: numbers, others: [] })).toBeUndefined();
  });
});

describe('the description of rules', () => {
  it.each([
    [field('uint32', { gte: 1, lte: 100 }), '1 to 100'],
    [field('uint32', { gt: 0, lte: 8192 }), 'more than 0, at most 8192'],
    [duration({ gte: '0.5s' }), 'at least 0.5s'],
    [field('string', { min_len: '1' }), undefined],
    [field('string', { min_len: '2', max_len: '9' }), 'at least 2 characters, at most 9 characters'],
    [
      describeField('x', { shape: 'list', constraint: { repeated: { min_items: '1', unique: true } } }),
      'at least 1 item, no item twice',
    ],
    [describeField('x'), undefined],
  ])('of %j is %j', (rules, words) => {
    expect(describeRules(rules)).toBe(words);
  });
});
