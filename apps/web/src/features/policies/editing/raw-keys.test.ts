import { describe, expect, it } from 'vitest';
import { readText } from '../../../yaml/read-text.ts';
import { findRawKeys, withoutRawKeys } from './raw-keys.ts';

const policy = (entry: string) => `spec:
  domains:
    - hosts: [a]
      policy:
        engines:
          rate_limit: { requests_per_second: 5, key: header, header: X-User }
          api_key:
            keys:
              - ${entry}
                subject: till-7
`;

describe('raw keys', () => {
  it('are reported with their line and subject, and the key of a rate limiter is not one', () => {
    expect(findRawKeys(policy('key: s3cret'))).toEqual([{ line: 9, key: 's3cret', subject: 'till-7' }]);
    expect(findRawKeys(policy(`sha256: ${'0'.repeat(64)}`))).toEqual([]);
  });

  it.each([
    'key: s3cret',
    'key: "s3cret"',
    "'key': 's3cret' # for the till",
    'key: |\n                  s3cret',
    'key: s3cret\n                  s3cret',
    'key:\n                  s3cret',
    '? key\n                : s3cret',
    '# key: s3cret\n                scopes: []',
    'key: &k s3cret',
    'key: "s3cret',
    'key: [s3cret',
    '? |-\n                  key\n                : s3cret',
    '"k\\x65y": s3cret',
    'key: ip\n                  s3cret',
    'key: host # of s3cret\n                key : s3cret',
  ])('are never stored in the browser: %j', (entry) => {
    expect(withoutRawKeys(policy(entry)) ?? '').not.toContain('s3cret');
  });

  it('are emptied in the stored text, and everything else is unchanged', () => {
    expect(withoutRawKeys(policy('key: s3cret # till'))).toBe(policy('key: "" # till'));
    const without = policy(`sha256: ${'0'.repeat(64)}`);
    expect(withoutRawKeys(without)).toBe(without);
  });

  it('are searched without parsing if the text cannot contain any, because the search runs on every keystroke', () => {
    const read = readText('of: before');
    for (const entry of ['key: ip', '"key": "host" # each', "'key': header"])
      expect(withoutRawKeys(policy(entry))).toBe(policy(entry));
    expect(readText('of: before')).toBe(read);
  });

  it('do not prevent storing an invalid text that cannot contain any', () => {
    expect(withoutRawKeys('spec: [')).toBe('spec: [');
  });
});
