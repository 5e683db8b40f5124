import { expect, it } from 'vitest';
import { describeDocuments, type ProxyVersions } from './documents-state.ts';

const release = {
  version: '1.41.0',
  date: null,
  binaries: [{ arch: 'linux-amd64', download_url: 'https://archive.example.com/e', sha256: 'ab' }],
};
const item = (more: Partial<ProxyVersions['items'][number]>): ProxyVersions['items'][number] => ({
  version: '1.41.0',
  documents: 0,
  services: 0,
  descriptors: null,
  sha256: null,
  prepared_at: null,
  ...more,
});
const job = (
  status: ProxyVersions['preparations'][number]['status'],
  message?: string,
): ProxyVersions['preparations'] => [
  {
    version: '1.41.0',
    job: { id: 'x', number: 7 },
    status,
    error: message === undefined ? null : { code: 'version.digest', message },
  },
];

it.each([
  ['unknown', [], []],
  ['unknown', [item({ documents: 2 })], []],
  ['unknown', [], job('cancelled')],
  ['known', [item({ descriptors: 'release' })], []],
  ['known', [item({ descriptors: 'binary' })], []],
  ['prepared', [item({ descriptors: 'archive', sha256: 'ab' })], job('done')],
  ['other_file', [item({ descriptors: 'archive', sha256: 'cd' })], job('failed', 'bad')],
  ['preparing', [item({ descriptors: 'archive', sha256: 'cd' })], job('waiting')],
  ['failed', [], job('failed', 'bad')],
  ['failed', [item({ descriptors: 'release' })], job('dead', 'bad')],
] as const)('the documents of a release are %s (%#)', (kind, items, preparations) => {
  expect(describeDocuments(release, { items: [...items], preparations: [...preparations] }).kind).toBe(kind);
});

it('a failed preparation has the reason, and the preparations of other versions do not count', () => {
  expect(describeDocuments(release, { items: [], preparations: job('failed', 'has SHA-256 cd') })).toEqual({
    kind: 'failed',
    job: 7,
    reason: 'has SHA-256 cd',
  });
  const other = job('failed', 'bad').map((one) => ({ ...one, version: '1.41.1' }));
  expect(describeDocuments(release, { items: [item({ version: '1.41.1' })], preparations: other }).kind).toBe(
    'unknown',
  );
});
