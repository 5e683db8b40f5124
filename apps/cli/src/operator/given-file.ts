import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CliFailure, EXIT } from './exit-codes.ts';

/** Opens a file to upload. Throws before the upload starts if the file cannot be read. */
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
