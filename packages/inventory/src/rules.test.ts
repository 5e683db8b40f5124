import { describe, expect, it } from 'vitest';
import { OperatorRules } from './rules.ts';

const complaint = (regex: string, placeholder = '{id}'): string | undefined => {
  const compiled = OperatorRules.compile([{ regex, placeholder }]);
  return compiled.ok ? undefined : compiled.problems[0]?.message;
};

describe('rules of operators', () => {
  it('match whole segments, and the first one decides', () => {
    const compiled = OperatorRules.compile([
      { regex: 'ord-[a-z0-9]{4,8}', placeholder: '{id}' },
      { regex: '(?:ord|inv)-\\w+', placeholder: 'token' },
    ]);
    if (!compiled.ok) throw new Error('The rules are valid.');
    expect(
      ['ord-abcd', 'ord-a', 'inv-x', 'an-ord-abcd', 'ord-abcd-x'].map((segment) =>
        compiled.rules.placeholderFor(segment),
      ),
    ).toEqual(['{id}', '{token}', '{token}', undefined, undefined]);
  });

  it.each([
    ['.*', 'too broad'],
    ['[a-z]+', 'too broad'],
    ['users|orders', 'too broad'],
    ['', 'characters'],
    ['x'.repeat(257), 'characters'],
    ['a+b+c+d+e+', 'at most 4'],
    ['(', 'without an end'],
    ['a)', 'closing parenthesis'],
    ['[a', 'ends too early'],
    ['[z-a]x', 'range'],
    ['a{300}', 'repeat at most'],
    ['(?=a)b', 'not supported'],
    ['\\bfoo', 'not supported'],
    ['((a{200}){200})', 'repeats too much'],
  ])('refuse the pattern %j: %s', (regex, expected) => {
    expect(complaint(regex)).toContain(expected);
  });

  it('refuse placeholders that only detectors give, and more than 64', () => {
    expect(complaint('ord-\\d+', '{secret}')).toContain('must be one of');
    const many = OperatorRules.compile(
      Array.from({ length: 65 }, (_, at) => ({ regex: `x${at}`, placeholder: '{id}' })),
    );
    expect(many.ok).toBe(false);
  });

  it('answer at once where a backtracking engine would not', () => {
    const compiled = OperatorRules.compile([{ regex: '(a+)+(b|a)*z', placeholder: '{id}' }]);
    if (!compiled.ok) throw new Error('The rule is valid.');
    expect(compiled.rules.placeholderFor('a'.repeat(4000))).toBeUndefined();
    expect(compiled.rules.placeholderFor(`${'a'.repeat(4000)}z`)).toBe('{id}');
  });

  it('agree with the built-in engine on what both support', () => {
    for (const source of ['a[^b-d]{2,3}', '\\d+-\\w?', 'x(?:y|zz)*', '[\\d_.]+', 'a.c', '\\.x\\S']) {
      const compiled = OperatorRules.compile([{ regex: source, placeholder: '{id}' }]);
      if (!compiled.ok) throw new Error('The rule is valid.');
      for (const text of ['aef', 'aefg', 'abef', '12-', '1-a', 'x', 'xyzz', 'xz', '1_.2', 'abc', 'a/c', '.xq', '.x ']) {
        expect(compiled.rules.placeholderFor(text) !== undefined, `${source} on ${text}`).toBe(
          new RegExp(`^(?:${source})$`).test(text),
        );
      }
    }
  });
});
