import { type Database, listMigrations, type Tx } from '@flotilla/db';
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
  /** The tables that backups hold. */
  readonly sections: readonly BackupSection[];
}

export interface ExportOrder {
  readonly id: string;
  readonly file: string;
  /** Null: the whole installation. */
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly secretFree: boolean;
  /** Undefined: nobody but this installation is to read it. */
  readonly passphrase: string | undefined;
  readonly now: Date;
  /** Told now and then: how many sections are done. */
  onSection?(done: number, total: number): Promise<void>;
  /** Nobody wants it any more: it throws the signal's reason and leaves no file. */
  readonly signal?: AbortSignal | undefined;
}

export interface Exported {
  readonly header: Header;
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a backup of what stands at one moment, then reads it again whole: what cannot be read is none. */
export async function exportBackup(deps: ExportDeps, order: ExportOrder): Promise<Exported> {
  const { database, folder, secrets } = deps;
  const { project, secretFree, passphrase, signal } = order;
  const protection = chooseProtection(order, secrets);
  const contentKey = await createContentKey(protection);
  const db = project ? database.scoped({ kind: 'project', projectId: project.id }) : database.db;
  let told: Awaited<ReturnType<typeof writeBackup>> | undefined;
  const file = await folder.write(order.file, (sink) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        const sections = project
          ? bundleSections(tx, { ...deps, secretFree })
          : tableSections(tx, { ...deps, secretFree });
        told = await writeBackup(
          {
            header: {
              format: FORMAT,
              id: order.id,
              kind: project ? 'project' : 'installation',
              app_version: VERSION,
              migrations: listMigrations(),
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
  if (!told) throw new Error('nothing was written');
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
  return { ...told, ...file };
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
    .map(({ table, sealed, withoutSecrets }) => ({
      name: table,
      async *rows() {
        for await (const row of streamRows(tx, table)) {
          if (secretFree) yield { ...(sealed ? sealed.drop(row) : row), ...withoutSecrets };
          else yield sealed ? sealed.open(keyring, row) : row;
        }
      },
    }));
}

/** Reports progress after each section, and ends at the signal. */
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
