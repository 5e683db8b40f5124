import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '@flotilla/db';
import { type Closable, type Logger, makeFolder, writeFileAtomically } from '@flotilla/kit';
import { isFirstPasswordUnused } from './first-password-store.ts';

const LOOK_EVERY_MS = 2000;

/**
 * Stores the first owner's generated password in a file, because the printed one may be lost with a full disk or a
 * closed terminal. When it resolves, the file is on disk and readable for the controller's user only.
 */
export async function keepFirstPassword(file: string, password: string): Promise<void> {
  await makeFolder(dirname(file));
  await writeFileAtomically(file, `${password}\n`);
}

/** Deletes the file once the password was used on any controller, or is not valid any more. */
export function watchFirstPassword(db: Db, file: string, logger: Logger): Closable {
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    const isThere = await stat(file).catch(() => undefined);
    if (!isThere) return clearInterval(timer);
    if (await isFirstPasswordUnused(db)) return;
    await rm(file, { force: true });
    clearInterval(timer);
    logger.info({ file }, 'controller.first_password_removed');
  };
  const lookNext = () => {
    looking = looking.then(look).catch((error: unknown) => {
      logger.warn({ err: error, file }, 'controller.first_password_kept');
    });
  };
  const timer = setInterval(lookNext, LOOK_EVERY_MS).unref();
  lookNext();
  return {
    close: () => {
      clearInterval(timer);
      return looking;
    },
  };
}
