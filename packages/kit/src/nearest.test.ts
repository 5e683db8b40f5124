import { describe, expect, it } from 'vitest';
import { findNearest } from './nearest.ts';

const FIELDS = ['name', 'connect_timeout', 'lb_policy'];

describe('the name that was probably meant', () => {
  it.each([
    ['a letter that is missing', 'conect_timeout', 'connect_timeout'],
    ['a letter too many', 'lb_pollicy', 'lb_policy'],
    ['another letter', 'nane', 'name'],
    ['capitals and dashes', 'Connect-Timeout', 'connect_timeout'],
    ['a third of the letters', 'lb_xxxicy', 'lb_policy'],
    ['one letter of a short name', 'x', undefined],
    ['more than a third', 'lb_xxxxcy', undefined],
    ['another length', 'connect_timeout_in_seconds', undefined],
    ['nothing', '', undefined],
  ])('%s', (_, name, meant) => {
    expect(findNearest(name, FIELDS)).toBe(meant);
  });

  it('the nearest candidate wins, and the first of several that are equally near', () => {
    expect(findNearest('timeout', ['timers', 'timeour', 'timeous'])).toBe('timeour');
    expect(findNearest('timeout', [])).toBeUndefined();
  });

  it('the caller sets how many letters may be wrong', () => {
    const none = { wrongLetters: () => 0 };
    expect(findNearest('Lb-Policy', FIELDS, none)).toBe('lb_policy');
    expect(findNearest('lb_polic', FIELDS, none)).toBeUndefined();
    expect(findNearest('name', FIELDS, { wrongLetters: () => -1 })).toBeUndefined();
    expect(findNearest('lb_xxxxcy', FIELDS, { wrongLetters: (length) => length - 5 })).toBe('lb_policy');
  });

  it('camelCase matches snake_case only if the caller asks for it', () => {
    expect(findNearest('lbP', ['lb_p'])).toBe('lb_p');
    expect(findNearest('aBcDeF', ['a_bc_de_f'], { camelCase: true })).toBe('a_bc_de_f');
    expect(findNearest('ABC', ['a_b_c'], { camelCase: true, wrongLetters: () => 0 })).toBe('a_b_c');
    expect(findNearest('ABC', ['a_b_c'], { wrongLetters: () => 0 })).toBeUndefined();
  });

  it('names are compared only up to 160 letters', () => {
    const long = 'a'.repeat(160);
    expect(findNearest(`${long}b`, [`${long}c`], { wrongLetters: () => 0 })).toBe(`${long}c`);
  });
});
