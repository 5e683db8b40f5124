import { expect, it } from 'vitest';
import { describeItemRules, describeRules } from './describe-rules.ts';
import { parseFieldRules } from './field-rules.ts';

it.each([
  [{ uint32: { gte: 1, lte: 100 } }, ['1 to 100']],
  [{ uint32: { gt: 0, lte: 8192 } }, ['more than 0', 'at most 8192']],
  [{ int32: { lt: 5, gt: 10 } }, ['more than 10 or less than 5']],
  [{ uint32: { in: [1, 2] } }, ['one of 1, 2']],
  [{ duration: { gte: '0.500s' } }, ['at least 0.5s']],
  [{ string: { min_len: '1', max_len: '9' } }, ['not empty', 'at most 9 characters']],
  [{ string: { well_known_regex: 'HTTP_HEADER_NAME' } }, ['a header name']],
  [{ string: { prefix: '/' } }, ['starts with "/"']],
  [{ repeated: { min_items: '1', unique: true } }, ['at least 1 item', 'no item twice']],
  [{ map: { max_pairs: '2' } }, ['at most 2 pairs']],
  [{ bool: { const: true } }, ['true']],
  [{}, []],
])('the rules %j are described as %j', (source, phrases) => {
  expect(describeRules(parseFieldRules(source))).toEqual(phrases);
});

it('the rules of items, keys and values are described with what they are about', () => {
  const list = parseFieldRules({ repeated: { items: { string: { min_len: '1' } } } });
  expect(describeItemRules(list)).toEqual(['each item: not empty']);
  const map = parseFieldRules({ map: { keys: { string: { max_bytes: '2' } }, values: { uint32: { lt: 3 } } } });
  expect(describeItemRules(map)).toEqual(['each key: at most 2 bytes', 'each value: less than 3']);
});
