import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readFileIfThere, SerialQueue, writeFileAtomically } from '@flotilla/kit';

/**
 * A log of JSON records, one per line with a checksum (`<crc32, 8 hex digits> <json>`). A line that a crash truncated
 * is detected by its checksum and skipped. The caller rewrites the file after reading, so that nothing is appended to a truncated line.
 */
export class JournalFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #lines = 0;
  #bytes = 0;
  readonly #writing = new SerialQueue();

  constructor(path: string) {
    this.#path = path;
  }

  /** Lines since the file was last rewritten. */
  get lines(): number {
    return this.#lines;
  }

  /** Bytes since the file was last rewritten. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All valid records, in order. */
  async read(): Promise<{ records: unknown[]; damaged: number }> {
    const bytes = await readFileIfThere(this.#path);
    const records: unknown[] = [];
    let damaged = 0;
    for (const line of bytes?.toString('utf8').split('\n') ?? []) {
      if (line === '') continue;
      const record = parseLine(line);
      if (record === undefined) damaged += 1;
      else records.push(record);
    }
    return { records, damaged };
  }

  /** Resolves when the record is on disk. Records are written in the order of the calls. */
  append(record: unknown): Promise<void> {
    return this.#writing.run(async () => {
      const handle = await this.#open();
      const line = formatLine(record);
      await handle.appendFile(line);
      await handle.datasync();
      this.#lines += 1;
      this.#bytes += line.length;
    });
  }

  /** Replaces all records. `derive` is called after all earlier appends. */
  rewrite(derive: () => readonly unknown[]): Promise<void> {
    return this.#writing.run(async () => {
      const records = derive();
      await this.#handle?.close();
      this.#handle = undefined;
      await writeFileAtomically(this.#path, records.map(formatLine).join(''), { mode: 0o600 });
      this.#lines = records.length;
      this.#bytes = 0;
    });
  }

  async close(): Promise<void> {
    await this.#writing.settle();
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= await open(this.#path, 'a', 0o600);
    return this.#handle;
  }
}

function formatLine(record: unknown): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function parseLine(line: string): unknown {
  const json = line.slice(9);
  if (line[8] !== ' ' || Number.parseInt(line.slice(0, 8), 16) !== crc32(json)) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
