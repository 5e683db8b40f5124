import { expect, it } from 'vitest';
import { countryName } from './countries.ts';

it.each([
  ['NL', 'Netherlands'],
  ['XZ', 'XZ'],
  ['<b>', '<b>'],
  ['', ''],
])('the country %j is shown as %j', (code, name) => {
  expect(countryName(code)).toBe(name);
});
