import { readFile } from 'node:fs/promises';
import { CliFailure, EXIT } from '../exit-codes.ts';

/** The content of a file that an option names; undefined without the option. */
export async function readPem(file: unknown): Promise<string | undefined> {
  if (typeof file !== 'string') return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliFailure(EXIT.usage, `${file}: ${(error as Error).message}`);
  }
}
