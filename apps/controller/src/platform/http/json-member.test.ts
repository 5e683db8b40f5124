import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTextMember } from './json-member.ts';

const find = (text: string, name = 'project') => findTextMember(Buffer.from(text), name);

describe('a member of a large body, found without parsing it (attack 8)', () => {
  it.each([
    ['at the begin', '{"project":"p1","resource":{}}', 'p1'],
    ['at the end', '{"resource":{"a":[1,{"b":"}"}]},"project":"p1"}', 'p1'],
    ['with spaces', ' \n{ "a" : 1 , "project"\t:\r"p1" }', 'p1'],
    ['with a name in escapes', '{"pro\\u006aect":"p1"}', 'p1'],
    ['with a value in escapes', '{"project":"\\"\\\\p"}', '"\\p'],
    ['behind text that looks like it', '{"a":"\\"project\\":\\"p2\\"","project":"p1"}', 'p1'],
    ['behind a backslash at the end of a text', '{"a":"\\\\","project":"p1"}', 'p1'],
    ['within another object', '{"resource":{"project":"p2"}}', undefined],
    ['in a list', '[{"project":"p2"}]', undefined],
    ['as a value', '{"a":"project","b":"c"}', undefined],
    ['with a number', '{"project":1}', undefined],
    ['in text that does not end', '{"project":"p1', undefined],
    ['in nothing', '', undefined],
    ['with an invalid escape', '{"project":"\\x"}', undefined],
  ])('is found for: %s', (_, text, found) => {
    expect(find(text)).toBe(found);
  });

  it('is the one that parsing finds, in any object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (object, name, value) => {
        const given = { ...object, [name]: value };
        fc.pre(Object.hasOwn(given, name));
        expect(find(JSON.stringify(given), name)).toBe(value);
        expect(find(JSON.stringify(given, undefined, 2), name)).toBe(value);
      }),
    );
  });
});
