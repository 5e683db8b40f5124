import { describe, expect, it } from 'vitest';
import { deriveLabelChanges, formatLabelLines, parseLabelLines } from './label-lines.ts';

describe('lines of labels', () => {
  it('are parsed and written back', () => {
    const text = 'env=prod\nnote=a=b <i>\nsite=';
    const parsed = parseLabelLines(`\n  ${text}\r\n\n`);
    expect(parsed).toEqual({ labels: { env: 'prod', note: 'a=b <i>', site: '' } });
    expect(
      'labels' in parsed && formatLabelLines(Object.entries(parsed.labels).map(([key, value]) => ({ key, value }))),
    ).toBe(text);
  });

  it.each([
    ['env', 'KEY=VALUE'],
    ['Env=x', 'lower-case'],
    ['=x', 'not valid'],
    ['env=a\u200Bb', 'invisible'],
    ['env=a\nenv=b', 'twice'],
    [Array.from({ length: 65 }, (_, n) => `k${n}=v`).join('\n'), 'at most 64'],
  ])('are refused with the reason: %s', (text, problem) => {
    expect(parseLabelLines(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('change only what was edited', () => {
    const before = { env: 'prod', site: 'fra', rack: '7' };
    expect(deriveLabelChanges(before, { env: 'prod', site: 'ams', constructor: 'x' })).toEqual({
      rack: null,
      site: 'ams',
      constructor: 'x',
    });
    expect(deriveLabelChanges(before, before)).toEqual({});
  });
});
