import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Accepted, NOTHING_ACCEPTED, type Place } from '@flotilla/ha';
import { SerialQueue } from '@flotilla/kit';
import * as z from 'zod';

const count = z.int().min(0);
const recordSchema = z.strictObject({
  /** The higher of the two records is the newer one. */
  serial: count,
  pairId: z.string(),
  slot: z.union([z.literal(0), z.literal(1)]),
  /** Counts the starts of the daemon. */
  boot: count,
  epoch: count,
  /** The newest datagram of the peer that was accepted. */
  accepted: z.strictObject({ boot: count, sequence: count }),
  isInMaintenance: z.boolean(),
});
type Stored = z.output<typeof recordSchema>;

export interface Term {
  readonly boot: number;
  readonly epoch: number;
  readonly accepted: Accepted;
  readonly isInMaintenance: boolean;
}

const RECORD_BYTES = 1024;
const DIGEST_BYTES = 32;
const RECORDS = 2;
const NOTHING = { serial: 0, boot: 0, epoch: 0, accepted: NOTHING_ACCEPTED, isInMaintenance: false };

/**
 * The values that a member must not forget. The file has room for two records, which are written in turn, in place: a full disk
 * does not matter, and a write that is cut off leaves the other record.
 */
export class TermStore {
  readonly #file: FileHandle;
  /** Each change builds on the one before. */
  readonly #queue = new SerialQueue();
  #stored: Stored;

  private constructor(file: FileHandle, stored: Stored) {
    this.#file = file;
    this.#stored = stored;
  }

  /**
   * Values of another pair count for nothing, and datagrams that were accepted in the other slot came from this one. Throws if the
   * file cannot be made.
   */
  static async open(path: string, { pairId, slot }: Place): Promise<TermStore> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const bytes = Buffer.alloc(RECORDS * RECORD_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    // Takes the room on the disk now.
    if (bytesRead < bytes.length) await file.write(bytes, 0, bytes.length, 0);
    const records = Array.from({ length: RECORDS }, (_, i) =>
      readRecord(bytes.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES)),
    ).filter((one) => one !== undefined && one.pairId === pairId);
    const newest = records.toSorted((a, b) => (b?.serial ?? 0) - (a?.serial ?? 0))[0] ?? { ...NOTHING, pairId, slot };
    const accepted = newest.slot === slot ? newest.accepted : NOTHING_ACCEPTED;
    return new TermStore(file, { ...newest, slot, accepted });
  }

  get term(): Term {
    return this.#stored;
  }

  /** Resolves when the change is on the disk. */
  write(change: Partial<Term>): Promise<void> {
    return this.#queue.run(() => this.#write(change));
  }

  async #write(change: Partial<Term>): Promise<void> {
    const next: Stored = { ...this.#stored, ...change, serial: this.#stored.serial + 1 };
    const body = Buffer.from(JSON.stringify(next));
    const record = Buffer.alloc(RECORD_BYTES);
    createHash('sha256').update(body).digest().copy(record);
    record.writeUInt16BE(body.length, DIGEST_BYTES);
    body.copy(record, DIGEST_BYTES + 2);
    await this.#file.write(record, 0, record.length, (next.serial % RECORDS) * RECORD_BYTES);
    await this.#file.datasync();
    this.#stored = next;
  }

  async close(): Promise<void> {
    await this.#queue.settle();
    await this.#file.close();
  }
}

function readRecord(record: Buffer): Stored | undefined {
  const length = record.readUInt16BE(DIGEST_BYTES);
  const body = record.subarray(DIGEST_BYTES + 2, DIGEST_BYTES + 2 + length);
  if (!createHash('sha256').update(body).digest().equals(record.subarray(0, DIGEST_BYTES))) return undefined;
  try {
    return recordSchema.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}
