import { ApiError, profileRoutes, sessionRoutes } from '@flotilla/contract';
import type { ProgramIo } from '../../programs.ts';
import type { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note } from '../output.ts';
import { ask, isTerminal } from './questions.ts';

const TRIES = 5;

interface Passwords {
  readonly current: string;
  /** The new password, if there is no terminal to ask for it. */
  readonly next: string | undefined;
}

/** Changes a password that an administrator chose. Ends the session on failure, because it may do nothing else. */
export async function replaceFirstPassword(
  io: ProgramIo,
  connection: Connection,
  { current, next }: Passwords,
): Promise<void> {
  try {
    if (next !== undefined) await change(connection, current, next);
    else if (isTerminal(io)) await askAndChange(io, connection, current);
    else
      throw new CliFailure(
        EXIT.forbidden,
        'An administrator chose your password: change it first. Sign in from a terminal or with a browser, or give the new one as the second line of --password-stdin.',
      );
  } catch (error) {
    await connection.call(sessionRoutes.logout, {}).catch(() => undefined);
    throw error;
  }
  note(io, 'Your password is changed.');
}

async function askAndChange(io: ProgramIo, connection: Connection, current: string): Promise<void> {
  note(io, 'An administrator chose your password. Choose your own now.');
  for (let left = TRIES; ; left -= 1) {
    const next = await ask(io, 'New password: ', { hidden: true });
    const isSame = next === (await ask(io, 'Again: ', { hidden: true }));
    if (!isSame && left > 1) {
      note(io, 'The passwords differ.');
      continue;
    }
    if (!isSame) throw new CliFailure(EXIT.failed, 'Your password is not changed.');
    try {
      return await change(connection, current, next);
    } catch (error) {
      const isWeak = error instanceof ApiError && error.body.code === 'password.weak';
      if (!isWeak || left <= 1) throw error;
      note(io, error.message);
    }
  }
}

async function change(connection: Connection, current: string, next: string): Promise<void> {
  const body = { current_password: current, new_password: next };
  await connection.call(profileRoutes.changePassword, { query: {}, body });
}
