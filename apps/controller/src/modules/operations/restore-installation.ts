import { createReadStream } from 'node:fs';
import { listMigrations } from '@flotilla/db';
import { AppError, Lifecycle, type Logger } from '@flotilla/kit';
import type { ControllerConfig, RestoreConfig } from '../../platform/config.ts';
import { openOwnerDatabase } from '../../platform/database/open.ts';
import { type Feature, mergeMigrations } from '../../platform/features/index.ts';
import { openKeyring } from '../../platform/keyring/index.ts';
import { keepFirstPassword } from '../identity/public.ts';
import { listBackupSections, rebuildInstallation } from './backup/index.ts';

export interface RestoreDeps {
  readonly config: ControllerConfig;
  readonly restore: RestoreConfig;
  readonly features: readonly Feature[];
  readonly logger: Logger;
}

/**
 * `flotilla controller --restore FILE`: restores an installation from its backup before a start. Returns the exit code.
 */
export async function restoreInstallation(
  { config, restore, features, logger }: RestoreDeps,
  io: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream },
): Promise<number> {
  const lifecycle = new Lifecycle();
  try {
    const { db } = await openOwnerDatabase({ config, features, logger, lifecycle });
    const keyring = await openKeyring({ db, masterKey: config.masterKey, keyFile: config.masterKeyFile });
    const { header, rows, owner } = await rebuildInstallation({
      db,
      keyring,
      sections: listBackupSections(features),
      migrations: listMigrations(mergeMigrations(features)),
      open: () => createReadStream(restore.file),
      passphrase: restore.passphrase,
      trusted: restore.trusted,
      keepPassword: (password) => keepFirstPassword(config.firstPasswordFile, password),
    });
    io.stdout.write(`Restored ${rows} rows of the backup of ${header.created_at}. Now start the controller.\n`);
    if (owner)
      io.stdout.write(
        `Sign in as "${owner.username}" with the password ${owner.password}\n` +
          `Until somebody has signed in with it, it also stands in ${config.firstPasswordFile}\n`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof AppError) && !isMissing(error)) throw error;
    io.stderr.write(`flotilla controller: ${error.message}\n`);
    return 1;
  } finally {
    await lifecycle.close();
  }
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open';
}
