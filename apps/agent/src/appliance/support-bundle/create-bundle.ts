import { readFile, rename } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { readFileIfThere, toErrorMessage, tryFileLock } from '@flotilla/kit';
import { isDiskFull } from '../../disk-full.ts';
import { ArchiveWriter } from './archive.ts';
import { BundleFolder, type BundleRecord } from './bundle-folder.ts';
import { listConfigSources, listOtherSources, listSecretFiles } from './list-sources.ts';
import type { BundleOrder } from './order.ts';
import { collectSecrets } from './redact/collect-secrets.ts';
import { redactPlain } from './redact/redact-plain.ts';
import { SecretSet } from './redact/secret-set.ts';
import { type BundleSource, redactSource } from './source.ts';

/** Other programs of the host come first. */
const PRIORITY = 10;
/** How often the progress is written. */
const PROGRESS_MS = 300;

/** A line of `manifest.json`, which lists the content of a bundle and everything that is missing. */
interface ManifestEntry {
  readonly name: string;
  readonly from: string;
  readonly bytes?: number;
  readonly cut?: true;
  /** Why it is missing. */
  readonly missing?: string;
}

/**
 * Creates a bundle, in a process of its own: the agent may end meanwhile. The process holds the lock of the bundle. If it ends before
 * the record says READY or FAILED, the agent that finds the free lock records the failure.
 */
export async function createBundle(root: string, id: string): Promise<void> {
  setPriority(PRIORITY);
  const folder = new BundleFolder(root, id);
  const lock = await tryFileLock(folder.lock);
  if ('holder' in lock) return;
  try {
    const record = await folder.read();
    if (record?.state !== 'RUNNING') return;
    const order = JSON.parse(await readFile(folder.order, 'utf8')) as BundleOrder;
    await folder.write(await new BundleWork(folder, order, record).run());
  } finally {
    await lock.unlock();
  }
}

class BundleWork {
  readonly #folder: BundleFolder;
  readonly #order: BundleOrder;
  readonly #record: BundleRecord;
  readonly #secrets = new SecretSet();
  readonly #manifest: ManifestEntry[] = [];
  readonly #deadline: AbortSignal;
  #left: number;
  #done = 0;
  #total = 0;
  #shownAt = 0;

  constructor(folder: BundleFolder, order: BundleOrder, record: BundleRecord) {
    this.#folder = folder;
    this.#order = order;
    this.#record = record;
    this.#left = order.contentMax;
    this.#deadline = AbortSignal.timeout(order.timeMaxMs);
  }

  /** Resolves with the final record. */
  async run(): Promise<BundleRecord> {
    const { unfinished, archive } = this.#folder;
    const writer = new ArchiveWriter(unfinished, `support-bundle-${this.#record.id.slice(0, 12)}`);
    try {
      await this.#write(writer);
      const facts = await writer.finish();
      await rename(unfinished, archive);
      await this.#folder.dropWork();
      const now = Date.now();
      return {
        ...this.#record,
        ...facts,
        state: 'READY',
        finishedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + this.#order.expiresAfterMs).toISOString(),
      };
    } catch (error) {
      writer.abort();
      await this.#folder.dropContent();
      const reason = isDiskFull(error)
        ? 'The disk of the host is full. Free some space and create another bundle.'
        : `The bundle could not be written: ${toErrorMessage(error)}`;
      return { ...this.#record, state: 'FAILED', finishedAt: new Date().toISOString(), reason };
    }
  }

  async #write(writer: ArchiveWriter): Promise<void> {
    for (const path of listSecretFiles(this.#order)) {
      const bytes = await readFileIfThere(path).catch(() => undefined);
      if (bytes) collectSecrets(bytes.toString(), this.#secrets);
    }
    const configs = await listConfigSources(this.#order);
    const others = await listOtherSources(this.#order, this.#folder);
    this.#total = configs.length + others.length;
    // All configurations are read before anything is written, because each may contain a secret of another.
    const texts: Array<readonly [BundleSource, string]> = [];
    for (const source of configs) {
      const text = await this.#read(source);
      if (text !== undefined) texts.push([source, text]);
    }
    for (const [source, text] of texts) await this.#add(writer, source, text);
    for (const source of others) {
      const text = await this.#read(source);
      if (text !== undefined) await this.#add(writer, source, text);
    }
    await writer.add('manifest.json', `${JSON.stringify(this.#describe(), null, 1)}\n`, new Date());
  }

  /** The text without the secrets that its form reveals. */
  async #read(source: BundleSource): Promise<string | undefined> {
    const { name, from, kind } = source;
    await this.#showProgress(name);
    if (this.#deadline.aborted) return this.#miss(source, 'there was no time left');
    try {
      const read = await source.read(this.#deadline);
      if (!read) return this.#miss(source, 'the host does not have it');
      const text = redactSource(kind, read.text, this.#secrets);
      this.#manifest.push({ name, from, ...(read.isCut && { cut: true }) });
      return text;
    } catch (error) {
      return this.#miss(source, toErrorMessage(error));
    }
  }

  async #add(writer: ArchiveWriter, source: BundleSource, text: string): Promise<void> {
    const masked = this.#secrets.mask(text);
    const bytes = Buffer.byteLength(masked);
    const at = this.#manifest.findIndex(({ name }) => name === source.name);
    const { name, from, ...rest } = this.#manifest[at] ?? source;
    if (bytes > this.#left) {
      this.#manifest[at] = { name, from, missing: 'the bundle would have become too large' };
      return;
    }
    this.#left -= bytes;
    this.#manifest[at] = { name, from, bytes, ...('cut' in rest && { cut: true }) };
    await writer.add(name, masked, new Date());
  }

  #miss({ name, from }: BundleSource, reason: string): undefined {
    this.#manifest.push({ name, from, missing: reason });
  }

  /** A full disk must not stop the work here: the archive shows it. */
  async #showProgress(step: string): Promise<void> {
    this.#done += 1;
    const now = performance.now();
    if (now - this.#shownAt < PROGRESS_MS) return;
    this.#shownAt = now;
    const progress = { step, done: this.#done, total: this.#total };
    await this.#folder.write({ ...this.#record, progress }).catch(() => undefined);
  }

  #describe() {
    const { id, createdAt } = this.#record;
    return {
      id,
      created_at: createdAt,
      note: 'Secrets are replaced by [redacted]. Check the content before you give it to somebody else.',
      files: this.#manifest.map(({ missing, ...entry }) => ({
        ...entry,
        ...(missing !== undefined && { missing: this.#secrets.mask(redactPlain(missing)) }),
      })),
    };
  }
}
