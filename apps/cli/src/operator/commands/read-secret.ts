import type { ProgramIo } from '../../programs.ts';

/** Reads standard input without its last line break. Secrets are never arguments, because other processes can see those. */
export async function readSecret(io: ProgramIo): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}
