import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  err,
  type Logger,
  makeFolder,
  ok,
  type Result,
  SerialQueue,
  signalProcess,
  sleep,
  toErrorMessage,
  tryFileLock,
  writeFileAtomically,
} from '@flotilla/kit';
import { SUPPORT_BUNDLE_LIMITS } from '@flotilla/proto/commands';
import { isDiskFull } from '../../disk-full.ts';
import type { BundleChunk, BundleControl, BundleProblem } from '../types.ts';
import { BundleFolder, type BundleRecord, newRecord } from './bundle-folder.ts';
import { type LiveAnswers, writeLiveAnswers } from './live-answers.ts';
import type { BundleOrder } from './order.ts';

export interface SupportBundlesOptions {
  readonly dataDir: string;
  readonly live: LiveAnswers;
  /** Starts the process that creates a bundle, with the folder of the bundles and the id as further arguments. */
  readonly command: readonly string[];
  readonly order: Pick<BundleOrder, 'root' | 'vtysh' | 'journalCommand'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Only tests set these. */
  readonly keptMs?: number | undefined;
  readonly checkMs?: number | undefined;
}

const MIB = 1024 ** 2;
const FREE_MIN = 8 * MIB;
/** The most bytes of the content before it is packed. The archive has at most about as many. */
const CONTENT_MAX = 192 * MIB;
const TIME_MAX_MS = 5 * 60_000;
/** The process ends itself earlier. */
const PROCESS_MAX_MS = TIME_MAX_MS + 60_000;
const LIVE_MAX_MS = 2 * 60_000;
const RECORDS_MAX = 20;
const CHECK_MS = 60_000;
const POLL_MS = 500;
const HOUR_MS = 3_600_000;

/**
 * The support bundles of this host. Each has a folder with a record, whose state follows the process that creates it:
 * RUNNING  recorded before anything else is done; only one bundle is. The process holds a lock
 * READY    recorded by the process after the archive is on disk
 * FAILED   recorded by the process, or by an agent that finds a RUNNING bundle whose lock nobody holds
 * EXPIRED  recorded after the archive was deleted, because of its age or for a newer one
 */
export class SupportBundles implements BundleControl {
  readonly #options: SupportBundlesOptions;
  readonly #root: string;
  readonly #queue = new SerialQueue();
  readonly #stopped = new AbortController();
  /** The reasons of failures that could not be recorded, because the disk is full. */
  readonly #unrecorded = new Map<string, string>();
  #attending: Promise<void> = Promise.resolve();
  #opened: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(options: SupportBundlesOptions) {
    this.#options = options;
    this.#root = join(options.dataDir, 'support-bundles');
    this.#timer = setInterval(() => {
      this.list().catch((error: unknown) => options.logger.warn({ err: error }, 'support_bundles.unreadable'));
    }, options.checkMs ?? CHECK_MS);
    this.#timer.unref();
  }

  /** Attends to what an earlier agent has left. */
  open(): Promise<void> {
    this.#opened ??= this.#recover();
    return this.#opened;
  }

  async list(): Promise<readonly BundleRecord[]> {
    await this.open();
    return this.#queue.run(() => this.#listNow());
  }

  async create(id: string): Promise<Result<BundleRecord, BundleProblem>> {
    await this.open();
    return this.#queue.run(async () => {
      const records = await this.#listNow();
      const known = records.find((one) => one.id === id);
      if (known) return ok(known);
      const running = records.find(({ state }) => state === 'RUNNING');
      if (running) return err(problem('running', `The bundle ${running.id} is still being created. Wait for its end.`));
      try {
        return await this.#start(id, records);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        await new BundleFolder(this.#root, id).remove();
        return err(diskFull(0));
      }
    });
  }

  async read(
    id: string,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): Promise<Result<BundleChunk, BundleProblem>> {
    const bundle = (await this.list()).find((one) => one.id === id);
    const refusal = findRefusal(id, bundle);
    if (refusal || !bundle) return err(refusal ?? unknown(id));
    const size = bundle.bytes ?? 0;
    if (offset > size)
      return err(problem('offset', `The bundle ${id} has ${size} bytes; ${offset} is behind its end.`));
    const file = await open(new BundleFolder(this.#root, id).archive, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const facts = await file.stat();
      if (facts.size !== size) return err(problem('damaged', `The file of the bundle ${id} was changed on the host.`));
      const buffer = Buffer.alloc(Math.min(length, SUPPORT_BUNDLE_LIMITS.chunkMax, size - offset));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      const data = buffer.subarray(0, bytesRead);
      return ok({ bundle, data, offset, isLast: offset + bytesRead >= size });
    } finally {
      await file.close();
    }
  }

  async remove(id: string): Promise<Result<boolean, BundleProblem>> {
    await this.open();
    return this.#queue.run(async () => {
      const record = (await this.#listNow()).find((one) => one.id === id);
      if (!record) return ok(false);
      if (record.state === 'RUNNING')
        return err(problem('running', `The bundle ${id} is still being created. Delete it when it has ended.`));
      await new BundleFolder(this.#root, id).remove();
      this.#unrecorded.delete(id);
      return ok(true);
    });
  }

  /** A process that creates a bundle continues. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#opened?.catch(() => undefined);
    await this.#attending;
    await this.#queue.settle();
  }

  async #listNow(): Promise<BundleRecord[]> {
    const records: BundleRecord[] = [];
    for (const folder of (await BundleFolder.list(this.#root)).toReversed()) {
      const record = await folder.read();
      const isOld = records.length >= RECORDS_MAX && record?.state !== 'RUNNING';
      if (!record || isOld) await folder.remove();
      else records.push(await this.#settle(folder, record));
    }
    return records;
  }

  /** The record as it is now: an old bundle expires. */
  async #settle(folder: BundleFolder, record: BundleRecord): Promise<BundleRecord> {
    const reason = this.#unrecorded.get(record.id);
    if (record.state === 'RUNNING' && reason !== undefined) return { ...record, state: 'FAILED', reason };
    const { clock, keptMs } = this.#options;
    if (record.state !== 'READY' || record.finishedAt === null) return record;
    const expiresAt = Date.parse(record.finishedAt) + (keptMs ?? SUPPORT_BUNDLE_LIMITS.keptHours * HOUR_MS);
    if (clock.now() < expiresAt) return record;
    return this.#expire(folder, record, `It was kept for ${SUPPORT_BUNDLE_LIMITS.keptHours} hours.`);
  }

  async #expire(folder: BundleFolder, record: BundleRecord, reason: string): Promise<BundleRecord> {
    const expired: BundleRecord = { ...record, state: 'EXPIRED', reason };
    await folder.dropContent();
    await folder.write(expired).catch((error: unknown) => {
      // The next look finds it READY again, and deletes what is already gone.
      if (!isDiskFull(error)) throw error;
    });
    return expired;
  }

  async #start(id: string, records: readonly BundleRecord[]): Promise<Result<BundleRecord, BundleProblem>> {
    const { readyMax } = SUPPORT_BUNDLE_LIMITS;
    for (const old of records.filter(({ state }) => state === 'READY').slice(readyMax - 1))
      await this.#expire(new BundleFolder(this.#root, old.id), old, 'A newer bundle needed its place.');
    await makeFolder(this.#root, 0o700);
    const { bavail, bsize } = await statfs(this.#root);
    const free = bavail * bsize;
    if (free < FREE_MIN) return err(diskFull(free));
    const folder = new BundleFolder(this.#root, id);
    await folder.make();
    const record = newRecord(id, new Date(this.#options.clock.now()));
    await folder.write(record);
    this.#attending = this.#create(folder, Math.min(CONTENT_MAX, Math.floor(free / 2)));
    return ok(record);
  }

  /** Never rejects. */
  async #create(folder: BundleFolder, contentMax: number): Promise<void> {
    const { live, order, dataDir, logger, keptMs } = this.#options;
    try {
      const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(LIVE_MAX_MS)]);
      await writeLiveAnswers(folder, live, signal);
      const services = live
        .services()
        .map(({ key, logDir, filesDir, bootstrapFile }) => ({ key, logDir, filesDir, bootstrapFile }));
      const { id } = folder;
      const expiresAfterMs = keptMs ?? SUPPORT_BUNDLE_LIMITS.keptHours * HOUR_MS;
      const whole: BundleOrder = {
        ...order,
        id,
        dataDir,
        services,
        contentMax,
        timeMaxMs: TIME_MAX_MS,
        expiresAfterMs,
      };
      await writeFileAtomically(folder.order, JSON.stringify(whole), { mode: 0o600 });
      const child = this.#startProcess(folder);
      logger.info({ bundle: id, pid: child.pid }, 'support_bundle.started');
      await this.#attend(child, folder);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      logger.warn({ err: error, bundle: folder.id }, 'support_bundle.failed');
      await this.#fail(folder, isDiskFull(error) ? diskFull(0).message : toErrorMessage(error));
    }
  }

  #startProcess({ id }: BundleFolder): ChildProcess {
    const [program = '', ...args] = this.#options.command;
    // The environment of the agent may contain its token.
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };
    const child = spawn(program, [...args, this.#root, id], { detached: true, stdio: 'ignore', env, cwd: '/' });
    child.unref();
    return child;
  }

  async #attend(child: ChildProcess, folder: BundleFolder): Promise<void> {
    const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `code ${String(code)}`));
    const over = new AbortController();
    const limit = AbortSignal.any([this.#stopped.signal, over.signal]);
    const how = await Promise.race([ended, sleep(PROCESS_MAX_MS, limit).then(() => undefined)]).finally(() =>
      over.abort(),
    );
    if (this.#stopped.signal.aborted) return;
    if (how === undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await this.#conclude(
      folder,
      `The process that created the bundle ended unexpectedly (${how ?? 'it took too long'}).`,
    );
  }

  /** Attends to the bundles of an earlier agent. */
  async #recover(): Promise<void> {
    for (const folder of await BundleFolder.list(this.#root)) {
      if ((await folder.read())?.state !== 'RUNNING') continue;
      const holder = await this.#findHolder(folder);
      if (holder) this.#attending = this.#attendTo(folder);
      else await this.#conclude(folder, 'The agent was stopped while the bundle was created.');
    }
  }

  async #attendTo(folder: BundleFolder): Promise<void> {
    const deadline = performance.now() + PROCESS_MAX_MS;
    for (;;) {
      await sleep(POLL_MS, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      const holder = await this.#findHolder(folder);
      if (!holder) break;
      if (performance.now() > deadline) signalProcess(holder, 'SIGKILL');
    }
    await this.#conclude(folder, 'The process that created the bundle ended unexpectedly.').catch((error: unknown) =>
      this.#options.logger.warn({ err: error, bundle: folder.id }, 'support_bundle.failed'),
    );
  }

  async #findHolder(folder: BundleFolder) {
    const lock = await tryFileLock(folder.lock);
    if ('holder' in lock) return lock.holder;
    await lock.unlock();
    return undefined;
  }

  /** Records the failure of a bundle that nobody creates any more. Does nothing if it has ended properly. */
  async #conclude(folder: BundleFolder, reason: string): Promise<void> {
    const record = await folder.read();
    if (record?.state === 'RUNNING') await this.#fail(folder, reason);
    else this.#options.logger.info({ bundle: folder.id, state: record?.state }, 'support_bundle.ended');
  }

  async #fail(folder: BundleFolder, reason: string): Promise<void> {
    await folder.dropContent();
    const record = (await folder.read()) ?? newRecord(folder.id, new Date(this.#options.clock.now()));
    const finishedAt = new Date(this.#options.clock.now()).toISOString();
    await folder.write({ ...record, state: 'FAILED', finishedAt, reason }).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error;
      this.#unrecorded.set(folder.id, reason);
    });
  }
}

function findRefusal(id: string, bundle: BundleRecord | undefined): BundleProblem | undefined {
  switch (bundle?.state) {
    case undefined:
      return unknown(id);
    case 'RUNNING':
      return problem('not_ready', `The bundle ${id} is still being created.`);
    case 'FAILED':
      return problem('failed', `The bundle ${id} could not be created. ${bundle.reason ?? ''}`.trim());
    case 'EXPIRED':
      return problem('expired', `The bundle ${id} was deleted. ${bundle.reason ?? ''} Create another one.`);
    case 'READY':
      return undefined;
  }
}

function unknown(id: string): BundleProblem {
  return problem('unknown', `The host has no bundle ${id}. It may have been deleted.`);
}

function diskFull(free: number): BundleProblem {
  const message = `The disk of the host has ${Math.floor(free / MIB)} MiB left for a bundle; ${FREE_MIN / MIB} MiB are needed. Free some space.`;
  return problem('disk_full', message);
}

function problem(code: string, message: string): BundleProblem {
  return { code: `bundle.${code}` as BundleProblem['code'], message };
}
