import { describe, expect, it } from 'vitest';
import { referencedFiles, scanFileNames, secretFiles } from './bundle.ts';
import { findDataPathFault, isPolicyFile } from './bundle-path.ts';

const blockOf = (jwt: string) => `spec:
  domains:
    - policy:
        engines:
          jwt: ${jwt}
`;

describe('secretFiles', () => {
  it.each([
    ['{ hmac_secret_file: files/a.key }', ['files/a.key']],
    ['{ "hmac_secret\\u005ffile": "files/\\x62.key" }', ['files/b.key']],
    ['{ public_key_file: files/c.pem, jwks_file: files/d.json }', []],
  ])('finds the secret file of %s in any spelling', (jwt, names) => {
    expect(secretFiles(blockOf(jwt))).toEqual(names);
  });

  it('includes a file that one field uses as a secret and another as a public key', () => {
    const route = (field: string) =>
      `        - match: { path_prefix: / }\n          policy: { engines: { jwt: { ${field}: files/e } } }\n`;
    const text = `spec:\n  domains:\n    - routes:\n${route('public_key_file')}${route('hmac_secret_file')}`;
    expect(secretFiles(text)).toEqual(['files/e']);
  });
});

describe('scanFileNames', () => {
  it.each([
    ['{ public_key_file: files/a.pem }', ['files/a.pem']],
    ['{ "jwks_file": "files/a b.json" }', ['files/a b.json']],
    ["{ 'hmac_secret_file' : 'files/c' }", ['files/c']],
    ['{"jwks_file":"files/d.json","algorithms":["RS256"]}', ['files/d.json']],
    ['{ public_key_file: files/e.pem, jwks_file: files/f.json }', ['files/e.pem', 'files/f.json']],
    ['\n            public_key_file:   files/g.pem # why\n            issuer: x', ['files/g.pem']],
  ])('finds the file of %s like the parser', (jwt, names) => {
    expect(scanFileNames(blockOf(jwt))).toEqual(names);
    expect(referencedFiles(blockOf(jwt))).toEqual(names);
  });

  it.each(['../a', '/etc/passwd', 'a/../b', 'C:\\a', 'policy.yaml', '', './a'])('omits %s', (path) => {
    expect(scanFileNames(blockOf(`{ public_key_file: "${path}" }`))).toEqual([]);
  });

  it('takes time proportional to any text', () => {
    const text = `${'public_key_file: '.repeat(200_000)}${'jwks_file:'.repeat(100_000)}${' '.repeat(1_000_000)}`;
    expect(scanFileNames(text).length).toBeLessThan(3);
  });
});

describe('a path in a bundle', () => {
  it('is a policy at the top level, and a data file elsewhere', () => {
    expect(['a.yaml', 'a.yml', 'a.json', 'files/a.json', 'a.pem'].map(isPolicyFile)).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
    expect(findDataPathFault('files/a.json')).toBeUndefined();
    expect(findDataPathFault('a.pem')).toBeUndefined();
    expect(findDataPathFault('a.json')).toContain('policy document');
  });
});
