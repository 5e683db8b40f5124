import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, BudgetExceeded } from '../budget.ts';
import { askFields, FORM, JSON_TYPE, METHOD, PARTS, partNamed } from './testing.ts';

const askJson = (body: string | Buffer, type: string = JSON_TYPE) => askFields({ type, body });

describe('a JSON member that overrides the method', () => {
  it.each([
    ['{"_method":"DELETE"}', METHOD],
    [' \r\n\t{ "_method" : "delete" }', METHOD],
    ['{"a":{"b":[1,"}",{}]},"_method":"PUT"}', METHOD],
    ['{"_method":"POST","_method":"DELETE"}', METHOD],
    ['{"_METHOD":"DELETE"}', METHOD],
    ['{"\\u005fm\\u0065thod":"DELETE"}', METHOD],
    ['{"_method":"\\u0044ELETE"}', METHOD],
    ['{"_method":["DELETE"]}', METHOD],
    // Ruby reads a needless escape as its letter.
    ['{"_meth\\od":"DELETE"}', METHOD],
    ['{"\\u005fmeth\\od\n":"DELETE"}', METHOD],
    ['{"a":"\\\\","_method":"DELETE"}', METHOD],
    ['{"a":"\\"","_method":"DELETE"}', METHOD],
    ['\xef\xbb\xbf{"_method":"DELETE"}', METHOD],
    ['{"_method":"POST"}', 'allow'],
    ['{"_method":["POST"],"a":"DELETE"}', 'allow'],
    ['{"_method":null,"a":["DELETE"]}', 'allow'],
    ['{"a":"_method","b":"DELETE"}', 'allow'],
    ['{"a":"\\",\\"_method\\":\\"DELETE"}', 'allow'],
    ['{"payment":{"_method":"card"}}', 'allow'],
    ['[{"_method":"DELETE"}]', 'allow'],
    ['"_method"', 'allow'],
    ['{"_method', 'allow'],
    ['{"_method":"POST\\', METHOD],
    ['{}', 'allow'],
    ['', 'allow'],
  ])('%s: %s', (body, expected) => expect(askJson(body)).toBe(expected));

  it.each([
    ['application/json; charset=utf-8', 'utf8'],
    ['application/vnd.api+json', 'utf8'],
    ['text/json', 'utf8'],
    ['application/x-json', 'utf8'],
    ['application/geojson', 'utf8'],
    ['text/plain, application/json', 'utf8'],
    ['application/json; charset=utf-16le', 'utf16le'],
    ['application/json', 'utf16le'],
  ] as const)('is found under %s in %s', (type, encoding) => {
    expect(askJson(Buffer.from('{"_method":"DELETE"}', encoding), type)).toBe(METHOD);
    expect(askJson(Buffer.from('{"a":"DELETE"}', encoding), type)).toBe('allow');
  });

  it('is unread in a charset that cannot be decoded', () => {
    expect(askJson('+AHsAIgBfAG0AZQB0AGgAbwBkACIAOgAiAEQARQBMAEUAVABFACIAfQ-', 'application/json; charset=utf-7')).toBe(
      METHOD,
    );
  });

  it('is found as JSON.parse finds it, in any object', () => {
    const keys = fc.constantFrom('_method', 'a', '_Method', '"', '\\', 'payment');
    const value = fc.oneof(fc.constantFrom('DELETE', 'POST', 'x"},'), fc.integer(), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, value), { maxLength: 5 }), fc.boolean(), (members, isWide) => {
        const text = JSON.stringify(Object.fromEntries(members), null, isWide ? 2 : 0);
        const asks = Object.entries(JSON.parse(text) as Record<string, unknown>).some(
          ([key, asked]) => key.toLowerCase() === '_method' && asked === 'DELETE',
        );
        if (asks) expect(askJson(Buffer.from(text))).toBe(METHOD);
        else if (!/_method/i.test(text)) expect(askJson(Buffer.from(text))).toBe('allow');
      }),
    );
  });
});

describe('the time to search for fields', () => {
  const spent: Budget = {
    check() {
      throw new BudgetExceeded();
    },
  };

  it('is limited by the budget, whatever the body is', () => {
    const sent = { budget: spent };
    expect(() => askFields({ ...sent, type: FORM, body: 'a=1' })).toThrow(BudgetExceeded);
    expect(() => askFields({ ...sent, type: PARTS, body: partNamed('"a"') })).toThrow(BudgetExceeded);
    expect(() => askFields({ ...sent, type: JSON_TYPE, body: '{}' })).toThrow(BudgetExceeded);
  });

  it.each([
    ['names of escapes', FORM, '%41'],
    ['names of white space', FORM, '%20'],
    ['names of brackets', FORM, '['],
    ['pairs without a name', FORM, '&'],
    ['pairs cut off', FORM, '_method=;'],
    ['listed methods', FORM, '_method=POST&'],
    ['listed methods of another kind', FORM, '_method=POST;'],
    ['parts', PARTS, partNamed('"_method"', 'POST')],
    ['delimiters', PARTS, '--b'],
    ['names of parts', PARTS, ' name="a"'],
    ['blank lines', PARTS, '\r\n'],
    ['strings', JSON_TYPE, '"\\"'],
    ['braces', JSON_TYPE, '{'],
    ['members', JSON_TYPE, '{"_method":'],
  ])('grows only with the body: %s', (_, type, piece) => {
    const prefix = type === JSON_TYPE ? '{"_method":[' : '';
    const body = Buffer.from(prefix + piece.repeat(Math.floor((1024 * 1024) / piece.length)), 'latin1');
    expect(() => askFields({ type, body })).not.toThrow();
  });
});
