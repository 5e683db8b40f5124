import { describe, expect, it } from 'vitest';
import { digestBundle, referencedFiles } from './bundle.ts';
import { digestApiKey } from './engines/api-key-digest.ts';
import { loadPolicyFiles } from './load.ts';
import { replaceRawKeys } from './raw-keys.ts';

const YAML = `# who may call
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          api_key:
            keys:
              - key: plain-key   # the first
                subject: a
              - { "key": 'single ''quoted''', subject: b }
              - key: |-
                  block-key
                scopes: [x]
              - key: &anchor anchored
              - sha256: ${'0f'.repeat(32)}
      routes:
        - match: { path_prefix: /x }
          policy:
            engines:
              api_key: { keys: [{ key: "in\\troute" }] }
              rate_limit: { requests_per_second: 1, key: host }
`;

describe('replaceRawKeys', () => {
  it('replaces raw keys by digests and leaves everything else unchanged', () => {
    const { text, replaced } = replaceRawKeys(YAML);
    expect(replaced).toBe(5);
    const raw = ['plain-key', "single 'quoted'", 'block-key', 'anchored', 'in\troute'];
    for (const key of raw) expect(text).toContain(`"${digestApiKey(key)}"`);
    for (const key of ['plain-key', 'quoted', 'block-key', 'anchored', 'route"']) expect(text).not.toContain(key);
    expect(text).toContain('# who may call');
    expect(text).toContain(`- sha256: "${digestApiKey('plain-key')}"   # the first`);
    expect(text).toContain('key: host');
    expect(text.split('\n').length).toBe(YAML.split('\n').length - 1);
  });

  it('keeps the meaning: both texts load as the same policy', () => {
    const domains = (content: string) => {
      const loaded = loadPolicyFiles([{ path: 'p.yaml', content }]);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
      return loaded.value.domains;
    };
    expect(domains(replaceRawKeys(YAML).text)).toEqual(domains(YAML));
  });

  it('changes nothing the second time, and nothing in a text that cannot be parsed', () => {
    const { text } = replaceRawKeys(YAML);
    expect(replaceRawKeys(text)).toEqual({ text, replaced: 0 });
    expect(replaceRawKeys('a: [')).toEqual({ text: 'a: [', replaced: 0 });
  });

  it('works on JSON and keeps it JSON', () => {
    const document = { spec: { domains: [{ policy: { engines: { api_key: { keys: [{ key: 'k"1\\' }] } } } }] } };
    const { text, replaced } = replaceRawKeys(JSON.stringify(document, null, 2));
    expect(replaced).toBe(1);
    expect(JSON.parse(text)).toEqual({
      spec: { domains: [{ policy: { engines: { api_key: { keys: [{ sha256: digestApiKey('k"1\\') }] } } } }] },
    });
  });

  it('replaces a block that two places share once', () => {
    const text = `spec: { domains: [ { policy: { engines: { api_key: &k { keys: [ { key: abc } ] } } } }, { policy: { engines: { api_key: *k } } } ] }`;
    expect(replaceRawKeys(text)).toEqual({
      text: text.replace('key: abc', `sha256: "${digestApiKey('abc')}"`),
      replaced: 1,
    });
  });
});

describe('digestBundle', () => {
  const files = [
    { path: 'b.yaml', content: 'two' },
    { path: 'a.yaml', content: Buffer.from('one') },
  ];

  it('does not depend on order or on text versus bytes', () => {
    expect(digestBundle(files)).toBe(
      digestBundle([
        { path: 'a.yaml', content: 'one' },
        { path: 'b.yaml', content: 'two' },
      ]),
    );
  });

  it('changes with any path, content or boundary, including data files', () => {
    const digests = [
      files,
      [...files, { path: 'files/key.pem', content: '' }],
      [
        { path: 'a.yaml', content: 'oneb.yaml' },
        { path: '', content: 'two' },
      ],
      [
        { path: 'a.yaml', content: 'one' },
        { path: 'b.yaml', content: 'twoo' },
      ],
      [
        { path: 'a.yamlone', content: '' },
        { path: 'b.yaml', content: 'two' },
      ],
    ].map(digestBundle);
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('referencedFiles', () => {
  it('finds the files that engine blocks of domains and routes refer to', () => {
    const text = `spec:
  domains:
    - policy: { engines: { jwt: { public_key_file: files/b.pem } } }
      routes:
        - policy: { engines: { jwt: { public_key_file: files/a.pem } } }
        - policy: { engines: { jwt: null } }
`;
    expect(referencedFiles(text)).toEqual(['files/a.pem', 'files/b.pem']);
    expect(referencedFiles('[')).toEqual([]);
  });
});
