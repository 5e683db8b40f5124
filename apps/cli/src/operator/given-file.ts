import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CliFailure, EXIT } from './exit-codes.ts';

/** A file that is sent whole. What cannot be read is told before anybody is asked to take it. */
export async function openGivenFile(file: string): Promise<Blob> {
  const isFile = await stat(file)
    .then(async (info) => {
      await access(file, constants.R_OK);
      return info.isFile();
    })
    .catch((error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
      throw new CliFailure(EXIT.usage, `${file}: ${reason}`);
    });
  if (!isFile) throw new CliFailure(EXIT.usage, `${file}: is not a file`);
  return openAsBlob(file);
}
