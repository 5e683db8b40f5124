import { type Database, listMigrations, type Tx } from '@flotilla/db';
import { VERSION } from '../../version.ts';
import type { Keyring } from '../keyring/index.ts';
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
import type { BackupRow } from './sealed.ts';
import type { BackupSecrets } from './secrets.ts';
import { BACKUP_SECTIONS, type BackupSection } from './sections.ts';

export interface ExportDeps {
  readonly database: Pick<Database, 'db' | 'scoped'>;
  readonly keyring: Keyring;
  readonly secrets: BackupSecrets;
  readonly folder: BackupFolder;
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
  const chosen = BACKUP_SECTIONS.filter(
    ({ ofProject, isSecret }) => (!project || ofProject) && !(secretFree && isSecret),
  );
  let told: Awaited<ReturnType<typeof writeBackup>> | undefined;
  const file = await folder.write(order.file, (sink) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        let done = 0;
        const sections = chosen.map((section) => ({
          name: section.table,
          rows: async function* () {
            for await (const row of readRows(deps, tx, section, { isWhole: !project, secretFree })) {
              signal?.throwIfAborted();
              yield row;
            }
            signal?.throwIfAborted();
            done += 1;
            await order.onSection?.(done, chosen.length);
          },
        })) satisfies Section[];
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
            sections,
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

async function* readRows(
  { keyring }: ExportDeps,
  tx: Tx,
  { sealed, withoutSecrets, ofProject, ...section }: BackupSection,
  { isWhole, secretFree }: { readonly isWhole: boolean; readonly secretFree: boolean },
): AsyncGenerator<BackupRow> {
  if (!isWhole && ofProject !== true) {
    yield* streamRows(tx, { ...section, only: ofProject });
    return;
  }
  for await (const row of streamRows(tx, section)) {
    if (secretFree) yield { ...(sealed ? sealed.drop(row) : row), ...withoutSecrets };
    else yield sealed ? sealed.open(keyring, row) : row;
  }
}
