import { Readable } from 'node:stream';
import {
  BUNDLE_DOWNLOADS_MAX,
  type BundleChunk,
  type CommandResultRecord,
  FLEET_ERRORS,
  failBundle,
  failFleet,
  readBundleChunk,
  SUPPORT_BUNDLE_LIMITS,
} from '@flotilla/contract';
import { AppError, sleep } from '@flotilla/kit';
import type { Actor } from '../../../platform/http/actor.ts';
import type { RefusedTarget } from '../../../platform/http/refused-target.ts';
import type { CommandService } from '../commands/index.ts';

export interface DownloadLimits {
  readonly downloads: number;
  /** How long a client that does not answer is asked again. */
  readonly patienceMs: number;
  readonly retryMs: number;
  readonly answerMs: number;
}

const LIMITS: DownloadLimits = {
  downloads: BUNDLE_DOWNLOADS_MAX,
  patienceMs: 60_000,
  retryMs: 2000,
  answerMs: 30_000,
};
/** The client could answer later. */
const PASSING = new Set(['client.offline', 'agent.busy', 'command.deadline']);

export interface DownloadRequest {
  readonly project: string;
  readonly client: { readonly id: string; readonly name: string };
  readonly bundleId: string;
  /** The first byte to send. */
  readonly offset: number;
  /** The digest that the beginning had, which the caller has already; undefined: the caller did not say. */
  readonly sha256?: string | undefined;
  readonly noteRefusal: (target: RefusedTarget) => void;
}

export interface Download {
  readonly body: Readable;
  /** The first byte of `body`: 0 if the file is another one than the caller has begun with. */
  readonly offset: number;
  /** The size of the whole file. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A chunk whose bundle is complete. */
interface Piece {
  readonly data: Buffer;
  readonly isLast: boolean;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Sends support bundles of hosts. Each chunk is a command of its own, so any controller can send a bundle, and the rights of the caller
 * are checked again for each. At most two chunks of a download are in memory: the next one is asked for when the caller has read.
 */
export class BundleDownloads {
  readonly #commands: Pick<CommandService, 'ask'>;
  readonly #limits: DownloadLimits;
  readonly #stopped = new AbortController();
  #open = 0;

  constructor(commands: Pick<CommandService, 'ask'>, limits: Partial<DownloadLimits> = {}) {
    this.#commands = commands;
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#open;
  }

  /** Resolves when the first chunk is there. Throws the reason if the bundle cannot be sent. */
  async open(actor: Actor, request: DownloadRequest): Promise<Download> {
    const { downloads: limit } = this.#limits;
    if (this.#open >= limit || this.#stopped.signal.aborted) throw failBundle('support_bundle.busy', { limit });
    this.#open += 1;
    try {
      const { first, offset } = await this.#begin(actor, request);
      const { bytes, sha256 } = first;
      const chunks = this.#chunks(actor, { ...request, offset, sha256 }, first);
      const body = Readable.from(chunks, { objectMode: false, highWaterMark: 1 });
      body.once('close', () => {
        this.#open -= 1;
      });
      return { body, offset, bytes, sha256 };
    } catch (error) {
      this.#open -= 1;
      throw error;
    }
  }

  /** Interrupts the pauses, because the server is about to close. */
  close(): void {
    this.#stopped.abort();
  }

  async #begin(actor: Actor, request: DownloadRequest): Promise<{ first: Piece; offset: number }> {
    const { offset, sha256 } = request;
    const first = await this.#ask(actor, request, offset);
    if (offset === 0 || sha256 === undefined || first.sha256 === sha256) {
      if (offset > 0 && offset >= first.bytes)
        throw failBundle('support_bundle.range', { offset, reason: `the file has ${first.bytes} bytes.` });
      return { first, offset };
    }
    return { first: await this.#ask(actor, request, 0), offset: 0 };
  }

  async *#chunks(actor: Actor, request: DownloadRequest, first: Piece): AsyncGenerator<Buffer> {
    let piece = first;
    let { offset } = request;
    for (;;) {
      yield piece.data;
      offset += piece.data.length;
      if (piece.isLast) return;
      piece = await this.#askPatiently(actor, request, offset);
      // A file of another length would corrupt the answer, whose length is already sent.
      if (piece.sha256 !== first.sha256 || piece.data.length === 0 || offset + piece.data.length > first.bytes)
        throw failBundle('support_bundle.unavailable', { name: request.client.name, reason: 'the file has changed.' });
    }
  }

  /** A lost connection of the client, or another controller, interrupts no download for less than a minute. */
  async #askPatiently(actor: Actor, request: DownloadRequest, offset: number): Promise<Piece> {
    const { patienceMs, retryMs } = this.#limits;
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.#ask(actor, request, offset);
      } catch (error) {
        const isPassing = error instanceof AppError && PASSING.has(error.code);
        if (!isPassing || performance.now() > until || this.#stopped.signal.aborted) throw error;
        await sleep(retryMs, this.#stopped.signal);
      }
    }
  }

  async #ask(actor: Actor, request: DownloadRequest, offset: number): Promise<Piece> {
    const { project, client, bundleId, noteRefusal } = request;
    const result = await this.#commands.ask(actor, {
      body: {
        type: 'APPLIANCE',
        sub_type: 'SUB_BUNDLE_READ',
        clients: [{ client_id: client.id }],
        command: { artifact_id: bundleId, offset, length: SUPPORT_BUNDLE_LIMITS.chunkMax },
      },
      project,
      waitMs: this.#limits.answerMs,
      noteRefusal,
    });
    if (result?.outcome !== 'done') throw toError(result, request, offset);
    const piece = toPiece(readBundleChunk(result.result), offset);
    if (piece) return piece;
    const reason = 'its answer has another form than expected; update its agent.';
    throw failBundle('support_bundle.unavailable', { name: client.name, reason });
  }
}

/** Undefined: the host sends something else than the bytes at `offset` of a complete bundle. */
function toPiece(chunk: BundleChunk | undefined, offset: number): Piece | undefined {
  const { bytes, sha256 } = chunk?.bundle ?? {};
  if (!chunk || bytes === undefined || sha256 === undefined || chunk.offset !== offset) return undefined;
  if (bytes > SUPPORT_BUNDLE_LIMITS.bytesMax) return undefined;
  const data = Buffer.from(chunk.data, 'base64');
  if (offset + data.length > bytes || chunk.isLast !== offset + data.length >= bytes) return undefined;
  return { data, isLast: chunk.isLast, bytes, sha256 };
}

function toError(
  result: CommandResultRecord | undefined,
  { client: { id, name }, bundleId }: DownloadRequest,
  offset: number,
): AppError {
  const { code = 'command.deadline', message: reason = FLEET_ERRORS['command.deadline'].message } = result?.error ?? {};
  switch (code) {
    case 'client.not_found':
      return failFleet(code, { id });
    case 'client.offline':
      return failFleet(code, { name });
    case 'client.incapable':
      return new AppError({ code, httpStatus: FLEET_ERRORS[code].status, message: reason });
    case 'bundle.unknown':
      return failBundle('support_bundle.unknown', { name, id: bundleId });
    case 'bundle.expired':
      return failBundle('support_bundle.expired', { reason });
    case 'bundle.not_ready':
    case 'bundle.failed':
    case 'bundle.damaged':
      return failBundle('support_bundle.not_ready', { reason });
    case 'bundle.offset':
      return failBundle('support_bundle.range', { offset, reason });
    case 'agent.busy':
    case 'command.deadline':
      return new AppError({ code, httpStatus: 503, message: reason });
    default:
      return failBundle('support_bundle.unavailable', { name, reason });
  }
}
