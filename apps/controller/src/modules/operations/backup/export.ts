import type { Database, Tx } from '@flotilla/db';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { VERSION } from '../../../platform/version.ts';
import { bundleSections } from './bundle/write.ts';
import type { BackupFolder } from './folder.ts';
import {
  createContentKey,
  FORMAT,
  type Header,
  type Manifest,
  type Protection,
  readBackup,
  type Section,
  writeBackup,
} from './format/index.ts';
import { readSequences, streamRows } from './rows-store.ts';
import type { BackupSecrets } from './secrets.ts';
import type { BackupSection } from './sections.ts';

export interface ExportDeps {
  readonly database: Pick<Database, 'db' | 'scoped'>;
  readonly keyring: Keyring;
  readonly secrets: BackupSecrets;
  readonly folder: BackupFolder;
  readonly sections: readonly BackupSection[];
  /** Names of all migrations, in order. */
  readonly migrations: readonly string[];
}

export interface ExportOrder {
  readonly id: string;
  readonly file: string;
  /** Null: the whole installation. */
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly secretFree: boolean;
  /** Undefined: the backup is encrypted for this installation, or has no secrets and is not encrypted. */
  readonly passphrase: string | undefined;
  readonly now: Date;
  /** Called after each section with the number of finished sections. */
  onSection?(done: number, total: number): Promise<void>;
  /** Cancels the export, which then throws the signal's reason and leaves no file. */
  readonly signal?: AbortSignal | undefined;
}

export interface Exported {
  readonly header: Header;
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a backup from one snapshot of the database, then reads the whole file back. Deletes a file that cannot be read. */
export async function exportBackup(deps: ExportDeps, order: ExportOrder): Promise<Exported> {
  const { database, folder, secrets } = deps;
  const { project, secretFree, passphrase, signal } = order;
  const protection = chooseProtection(order, secrets);
  const contentKey = await createContentKey(protection);
  const db = project ? database.scoped({ kind: 'project', projectId: project.id }) : database.db;
  let written: Awaited<ReturnType<typeof writeBackup>> | undefined;
  const file = await folder.write(order.file, (sink) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        const sections = project
          ? bundleSections(tx, { ...deps, secretFree })
          : tableSections(tx, { ...deps, secretFree });
        written = await writeBackup(
          {
            header: {
              format: FORMAT,
              id: order.id,
              kind: project ? 'project' : 'installation',
              app_version: VERSION,
              migrations: [...deps.migrations],
              created_at: order.now.toISOString(),
              project,
              secret_free: secretFree,
              public_key: secrets.publicKey.toString('base64'),
            },
            contentKey,
            signingKey: secrets.signingKey,
            sections: observe(sections, order),
            sequences: () => (project ? Promise.resolve({}) : readSequences(tx)),
          },
          sink,
        );
      }),
  );
  if (!written) throw new Error('the backup was not written');
  try {
    await readBackup(folder.read(order.file), {
      passphrase,
      secret: secrets.secret,
      trusted: new Set([secrets.fingerprint]),
      signal,
    });
  } catch (error) {
    await folder.remove(order.file);
    throw error;
  }
  return { ...written, ...file };
}

export function chooseProtection(
  { secretFree, passphrase }: Pick<ExportOrder, 'secretFree' | 'passphrase'>,
  { secret }: Pick<BackupSecrets, 'secret'>,
): Protection {
  if (passphrase !== undefined) return { kind: 'passphrase', passphrase };
  return secretFree ? { kind: 'none' } : { kind: 'installation', secret };
}

interface ContentOrder extends Pick<ExportDeps, 'keyring' | 'sections'> {
  readonly secretFree: boolean;
}

function tableSections(tx: Tx, { keyring, sections, secretFree }: ContentOrder): Section[] {
  return sections
    .filter(({ isSecret }) => !(secretFree && isSecret))
    .map(({ table, cipher, withoutSecrets }) => ({
      name: table,
      async *rows() {
        for await (const row of streamRows(tx, table)) {
          if (secretFree) yield { ...(cipher ? cipher.remove(row) : row), ...withoutSecrets };
          else yield cipher ? cipher.decrypt(keyring, row) : row;
        }
      },
    }));
}

/** Reports progress after each section, and throws when the signal aborts. */
function observe(sections: readonly Section[], { signal, onSection }: ExportOrder): Section[] {
  return sections.map(({ name, rows }, index) => ({
    name,
    async *rows() {
      for await (const row of rows()) {
        signal?.throwIfAborted();
        yield row;
      }
      signal?.throwIfAborted();
      await onSection?.(index + 1, sections.length);
    },
  }));
}
