import type { ProgramIo } from '../../programs.ts';

/** What standard input holds, without the line's end. Secrets are never arguments: every process of the machine sees those. */
export async function readSecret(io: ProgramIo): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}
