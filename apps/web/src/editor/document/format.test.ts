import fc from 'fast-check';
import { expect, it } from 'vitest';
import { convertText, formatText } from './format.ts';

it('formatting JSON keeps all values and is idempotent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = formatText(JSON.stringify(value), 'json') ?? '';
      expect(JSON.parse(once)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(formatText(once, 'json')).toBe(once);
    }),
  );
});

it('numbers keep their spelling, keys their order, and flat lists their line', () => {
  expect(formatText('{"z":9223372036854775807,"a":1.50,"l":["x","y"],"e":{}}', 'json')).toBe(
    '{\n  "z": 9223372036854775807,\n  "a": 1.50,\n  "l": ["x", "y"],\n  "e": {}\n}\n',
  );
});

it('comments in YAML are kept', () => {
  expect(formatText('# top\nz:   1 # why\na:\n    - b\n', 'yaml')).toBe('# top\nz: 1 # why\na:\n  - b\n');
});

it('a text with a syntax error is not formatted', () => {
  expect(formatText('{"a": }', 'json')).toBeUndefined();
  expect(formatText('a: [', 'yaml')).toBeUndefined();
});

it('JSON converted to YAML and back is unchanged', () => {
  const text = '{\n  "a": [\n    {\n      "b": "true"\n    }\n  ],\n  "n": "9223372036854775807"\n}\n';
  expect(convertText(convertText(text, 'yaml') ?? '', 'json')).toBe(text);
});

it('conversion keeps all JSON values and rejects texts with errors', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(convertText(convertText(text, 'yaml') ?? '', 'json') ?? '')).toEqual(JSON.parse(text));
    }),
  );
  expect(convertText('{"a": 9223372036854775807}', 'json')).toBe('{\n  "a": "9223372036854775807"\n}\n');
  expect(convertText('{a: 1}', 'json')).toBe('{\n  "a": 1\n}\n');
  expect(convertText('{"a": 1, "a": 2}', 'json')).toBeUndefined();
  expect(convertText('a: [', 'json')).toBeUndefined();
});
