import { Buffer } from 'node:buffer';
import { type Logger, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import * as z from 'zod';

/** An index as the archive has sent it. */
export interface StoredIndex {
  /** Address of the archive. */
  readonly archiveUrl: string;
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly etag: string | undefined;
  /** When the archive last confirmed it. */
  readonly fetchedAt: Date;
}

const fileSchema = z.object({
  archive_url: z.string(),
  content_type: z.string(),
  etag: z.string().optional(),
  fetched_at: z.iso.datetime(),
  index: z.base64(),
});

/** Keeps the last index on disk, so that a restart during an outage of the archive does not lose it. */
export class IndexFile {
  readonly #path: string;
  readonly #logger: Logger;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** A file that cannot be read counts as missing. */
  async read(): Promise<StoredIndex | undefined> {
    try {
      const bytes = await readFileIfThere(this.#path);
      if (!bytes) return undefined;
      const { archive_url, content_type, etag, fetched_at, index } = fileSchema.parse(JSON.parse(bytes.toString()));
      return {
        archiveUrl: archive_url,
        contentType: content_type,
        etag,
        fetchedAt: new Date(fetched_at),
        bytes: Buffer.from(index, 'base64'),
      };
    } catch (error) {
      this.#logger.warn({ err: error }, 'archive.index_file_unreadable');
      return undefined;
    }
  }

  /** Without the file, only a restart during an outage is affected, so a failure is logged. */
  async write({ archiveUrl, bytes, contentType, etag, fetchedAt }: StoredIndex): Promise<void> {
    const content = {
      archive_url: archiveUrl,
      content_type: contentType,
      etag,
      fetched_at: fetchedAt.toISOString(),
      index: bytes.toString('base64'),
    };
    try {
      await writeFileAtomically(this.#path, JSON.stringify(content));
    } catch (error) {
      this.#logger.warn({ err: error }, 'archive.index_file_unwritable');
    }
  }
}
