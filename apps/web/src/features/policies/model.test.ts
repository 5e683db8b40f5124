import { expect, it } from 'vitest';
import { countBlocked, fileSize, toComparableText, toCopy } from './model.ts';

it('blocked requests are added up by policy, for all engines and reasons', () => {
  const counter = (policy: string, verdict: 'blocked' | 'detected', count: number) => ({
    policy,
    engine: 'api_key',
    reason: `r${count}`,
    verdict,
    count,
  });
  const counts = countBlocked([counter('a', 'blocked', 3), counter('a', 'blocked', 4), counter('b', 'detected', 9)]);
  expect([...counts]).toEqual([['a', 7]]);
});

it('description and files are part of the text as comments, so that a comparison shows them', () => {
  const text = 'kind: SecurityPolicy\n';
  expect(toComparableText({ text, description: '', files: [] })).toBe(text);
  expect(
    toComparableText({ text, description: 'a\nb', files: [{ path: 'k/a.pem', content_base64: btoa('12345') }] }),
  ).toBe(`# description: a\n# description: b\n# file: k/a.pem (5 bytes)\n${text}`);
});

it.each(['', 'a', 'ab', 'abc', 'abcd'])('the size of a file is its number of bytes: %j', (content) => {
  expect(fileSize({ path: 'x', content_base64: btoa(content) })).toBe(content.length);
});

it('a secret file has a known size but no content, and cannot be copied', () => {
  const updated = '2026-01-01T00:00:00.000Z';
  const secret = { path: 'keys/s', secret: true, bytes: 48, updated_at: updated } as const;
  expect(fileSize(secret)).toBe(48);
  const file = { path: 'keys/p', content_base64: '' };
  expect(toCopy({ text: '', description: '', files: [secret, file] }).files).toEqual([file]);
});
