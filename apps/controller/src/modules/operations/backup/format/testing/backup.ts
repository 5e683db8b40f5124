import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import {
  createContentKey,
  FORMAT,
  fingerprintOf,
  type Header,
  type Protection,
  type Section,
  writeBackup,
} from '../index.ts';

interface TestSigner {
  readonly privateKey: KeyObject;
  /** SPKI, DER. */
  readonly publicDer: Buffer;
  readonly fingerprint: string;
}

export function createTestSigner(): TestSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicDer = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, publicDer, fingerprint: fingerprintOf(publicDer) };
}

export function sectionOf(name: string, rows: readonly unknown[]): Section {
  return {
    name,
    async *rows() {
      yield* rows;
    },
  };
}

export async function writeTestBackup(options: {
  signer: TestSigner;
  protection: Protection;
  sections: readonly Section[];
  header?: Partial<Header>;
}): Promise<Buffer> {
  const { signer, protection, sections } = options;
  const parts: Buffer[] = [];
  await writeBackup(
    {
      header: {
        format: FORMAT,
        id: '0199f0c2-0000-7000-8000-000000000001',
        kind: 'project',
        app_version: '0.1.0',
        migrations: ['0001-row-scope'],
        created_at: '2026-01-01T00:00:00.000Z',
        project: null,
        secret_free: protection.kind === 'none',
        public_key: signer.publicDer.toString('base64'),
        ...options.header,
      },
      contentKey: await createContentKey(protection),
      signingKey: signer.privateKey,
      sections,
      sequences: async () => ({}),
    },
    async (bytes) => {
      parts.push(Buffer.from(bytes));
    },
  );
  return Buffer.concat(parts);
}

/** Yields the file in chunks, as a disk or a network would. */
export async function* inChunks(file: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let from = 0; from < file.length; from += size) yield file.subarray(from, from + size);
}

/** Protects a backup with the secret of an installation, which is much faster than a passphrase. */
export function createTestSecret() {
  const secret = randomBytes(32);
  return { secret, protection: { kind: 'installation', secret } as const };
}
