import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { SerialQueue } from '@flotilla/kit';
import * as z from 'zod';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const RECORD_BYTES = 256;

const recordSchema = z.strictObject({
  /** The start of the kernel. Its clock begins again with it, and a host that lost power may have an old record on its disk. */
  boot: z.string(),
  /** On the clock of the kernel, in milliseconds. */
  endsAt: z.number(),
});

/**
 * Remembers when the lease ends that this process is about to take or to renew. A process that is killed cannot say when its
 * addresses were gone; the next one can, because the kernel has removed them at the end of the lease. The record need not be on the
 * disk, only in the file: it counts for nothing after the host has started again.
 */
export class LeaseRecord {
  readonly #file: FileHandle;
  readonly #boot: string;
  readonly #queue = new SerialQueue();
  readonly #earlierEndsAt: number | undefined;

  private constructor(file: FileHandle, boot: string, earlierEndsAt: number | undefined) {
    this.#file = file;
    this.#boot = boot;
    this.#earlierEndsAt = earlierEndsAt;
  }

  static async open(path: string): Promise<LeaseRecord> {
    const boot = (await readFile(BOOT_ID, 'utf8')).trim();
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const bytes = Buffer.alloc(RECORD_BYTES);
    await file.read(bytes, 0, bytes.length, 0);
    const earlier = readRecord(bytes);
    return new LeaseRecord(file, boot, earlier?.boot === boot ? earlier.endsAt : undefined);
  }

  /** How long ago the last lease of an earlier process has ended; negative: it goes on. Undefined: nobody knows. */
  get earlierEndedMsAgo(): number | undefined {
    return this.#earlierEndsAt === undefined ? undefined : kernelMs() - this.#earlierEndsAt;
  }

  /** Resolves when the next process would know of a lease that begins now. */
  write(leaseMs: number): Promise<void> {
    const record = Buffer.alloc(RECORD_BYTES, ' ');
    record.write(JSON.stringify({ boot: this.#boot, endsAt: kernelMs() + leaseMs }));
    return this.#queue.run(async () => {
      await this.#file.write(record, 0, record.length, 0);
    });
  }

  async close(): Promise<void> {
    await this.#queue.settle();
    await this.#file.close();
  }
}

/** All processes of the host have the same clock, which never jumps. */
function kernelMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function readRecord(bytes: Buffer): z.output<typeof recordSchema> | undefined {
  try {
    return recordSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}
