import { hasLimiter } from '@flotilla/engines';
import { DocumentList, type EngineBlock, type HostPattern } from '@flotilla/policy';
import type { DomainChunk, DomainPart } from './domain-chunks.ts';

/**
 * A bundle crosses threads in pieces: bytes in shared memory, which no garbage collection looks into and every thread reads
 * in place. A piece begins with a directory, JSON behind its length (4 bytes, little-endian); behind it lie the chunks of its
 * domains, each JSON, and before them options that are long and may be those of many blocks. Who takes a piece reads the
 * directory, and of the chunks only what must be made at once. A list of documents is a piece by itself, before the first one
 * that names it: its name stands in the directory, and behind that its bytes lie as they are used.
 */
interface PieceDirectory {
  /** The largest of all policies in the piece. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Names of the lists of documents without which its domains cannot be made. */
  readonly lists: readonly string[];
  readonly chunks: readonly ChunkEntry[];
}

/** The directory of a piece that is a list of documents. */
interface ListDirectory {
  readonly list: string;
}

/** A part of a domain, the first with its hosts. */
export type HostedPart = DomainPart & { readonly hosts?: readonly HostPattern[] };

/** What is known of a chunk that is not read yet. */
export interface ChunkEntry extends HostedPart {
  /** Where it begins behind the directory, and how long it is. */
  readonly at: number;
  readonly bytes: number;
  /** The domain is whole in this chunk, and so small that a request can wait until it is made. */
  readonly isSmall: boolean;
  /**
   * Blocks that have a limiter, in their order: limiters are kept together across threads and reloads. Of a small domain alone;
   * any other one is read at once, and its blocks with it.
   */
  readonly limiters: readonly EngineBlock[];
}

/** A block whose options stand elsewhere in the piece: so far before the begin of the chunk, and so long. */
type DistantBlock = Omit<EngineBlock, 'options'> & {
  readonly distance: number;
  readonly bytes: number;
};

type StoredChunk = Omit<DomainChunk, 'blocks'> & { readonly blocks: readonly (EngineBlock | DistantBlock)[] };

/** Domains of so many bytes are read and made in a third of a millisecond. */
const SMALL_MAX_BYTES = 32 * 1024;
/** Keys of a token's issuer may be those of thousands of domains: the options of longer blocks are stored once in a piece. */
const INLINE_MAX_CHARS = 1024;
/** What a piece may weigh: taking it takes half a millisecond. A domain weighs one, as does each host and each limiter. */
const PIECE_MAX_WEIGHT = 384;
/** Of what is made at once, each item weighs one, and so do so many bytes of it. */
const BYTES_PER_WEIGHT = 256;
const LENGTH_BYTES = 4;

/** Where options begin behind the directory, and how long they are. */
interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** A block of the chunk that begins at `chunkAt`. */
function toDistant({ options: _, ...rest }: EngineBlock, chunkAt: number, { at, bytes }: Place): DistantBlock {
  return { ...rest, distance: chunkAt - at, bytes };
}

export function limitersOf(chunk: DomainChunk): readonly EngineBlock[] {
  return chunk.blocks.filter(hasLimiter);
}

export class PieceWriter {
  #weight = 0;
  #bodyMaxBytes = 0;
  #budgetMs = 0;
  readonly #lists = new Set<string>();
  readonly #entries: ChunkEntry[] = [];
  readonly #texts: string[] = [];
  #end = 0;
  /** Where long options begin, by their text. */
  readonly #options = new Map<string, Place>();

  get isFull(): boolean {
    return this.#weight >= PIECE_MAX_WEIGHT;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(chunk: DomainChunk, part: HostedPart): void {
    for (const { bodyMaxBytes, budgetMs } of chunk.policies) {
      this.#bodyMaxBytes = Math.max(this.#bodyMaxBytes, bodyMaxBytes);
      this.#budgetMs = Math.max(this.#budgetMs, budgetMs);
    }
    for (const block of chunk.blocks) {
      const list = listOf(block);
      if (list !== undefined) this.#lists.add(list.sha256);
    }
    const inline = chunk.blocks.map((block) => JSON.stringify(block));
    const places = chunk.blocks.map(({ options }, n) =>
      (inline[n] ?? '').length > INLINE_MAX_CHARS ? this.#placeOf(options) : undefined,
    );
    const at = this.#end;
    const blocks = chunk.blocks.map((block, n) => {
      const place = places[n];
      return place === undefined ? inline[n] : JSON.stringify(toDistant(block, at, place));
    });
    const { policies, routes } = chunk;
    const bytes = this.#write(
      `{"blocks":[${blocks.join()}],"policies":${JSON.stringify(policies)},"routes":${JSON.stringify(routes)}}`,
    );
    const read = places.reduce((sum, place) => sum + (place?.bytes ?? 0), bytes);
    const isSmall = part.part === 0 && part.ends && read <= SMALL_MAX_BYTES;
    this.#entries.push({ at, bytes, ...part, isSmall, limiters: isSmall ? limitersOf(chunk) : [] });
    const limiterWeights = chunk.blocks.map((block, n) =>
      hasLimiter(block) ? Math.max(1, (inline[n] ?? '').length / BYTES_PER_WEIGHT) : 0,
    );
    this.#weight += 1 + (part.hosts?.length ?? 0) + limiterWeights.reduce((sum, weight) => sum + weight, 0);
    if (!isSmall) this.#weight += blocks.length + routes.length + read / BYTES_PER_WEIGHT;
  }

  finish(): Uint8Array {
    const directory: PieceDirectory = {
      bodyMaxBytes: this.#bodyMaxBytes,
      budgetMs: this.#budgetMs,
      lists: [...this.#lists],
      chunks: this.#entries,
    };
    const { piece, behind } = beginPiece(directory, this.#end);
    let at = behind;
    for (const text of this.#texts) at += piece.write(text, at);
    return piece;
  }

  #placeOf(options: object): Place {
    const text = JSON.stringify(options);
    const known = this.#options.get(text);
    if (known !== undefined) return known;
    const at = this.#end;
    const place = { at, bytes: this.#write(text) };
    this.#options.set(text, place);
    return place;
  }

  #write(text: string): number {
    const bytes = Buffer.byteLength(text);
    this.#texts.push(text);
    this.#end += bytes;
    return bytes;
  }
}

function beginPiece(
  directory: PieceDirectory | ListDirectory,
  bytes: number,
): { readonly piece: Buffer; readonly behind: number } {
  const head = JSON.stringify(directory);
  const headBytes = Buffer.byteLength(head);
  const piece = Buffer.from(new SharedArrayBuffer(LENGTH_BYTES + headBytes + bytes));
  piece.writeUInt32LE(headBytes);
  return { piece, behind: LENGTH_BYTES + piece.write(head, LENGTH_BYTES) };
}

export function writeListPiece({ sha256, digests }: DocumentList): Uint8Array {
  const { piece, behind } = beginPiece({ list: sha256 }, digests.byteLength);
  piece.set(digests, behind);
  return piece;
}

export function listOf(block: EngineBlock): DocumentList | undefined {
  return block.engine === 'graphql' ? (block.options.trustedDocuments ?? undefined) : undefined;
}

/** Lists of documents that came before, by their names. */
export type DocumentLists = ReadonlyMap<string, DocumentList>;

/** A chunk where it lies. */
export interface ChunkPlace {
  readonly piece: Buffer;
  /** In the piece. */
  readonly at: number;
  readonly entry: ChunkEntry;
}

/** What a piece is: part of the domains, or a list of documents, which is a view of its bytes. */
export type OpenPiece =
  | (Omit<PieceDirectory, 'chunks'> & { readonly kind: 'domains'; readonly places: readonly ChunkPlace[] })
  | { readonly kind: 'list'; readonly list: DocumentList };

/** Reads the directory of a piece. */
export function openPiece(bytes: Uint8Array): OpenPiece {
  const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = LENGTH_BYTES + piece.readUInt32LE();
  const directory: PieceDirectory | ListDirectory = JSON.parse(piece.toString('utf8', LENGTH_BYTES, end));
  if ('list' in directory) return { kind: 'list', list: new DocumentList(directory.list, piece.subarray(end)) };
  const { chunks, ...largest } = directory;
  return { kind: 'domains', ...largest, places: chunks.map((entry) => ({ piece, at: end + entry.at, entry })) };
}

/** Where a chunk lies in its piece. */
export interface ChunkBytes extends Place {
  readonly piece: Buffer;
}

/** Throws where a list of documents that the chunk names did not come before it. */
export function readChunk({ piece, at, bytes }: ChunkBytes, lists: DocumentLists): DomainChunk {
  const chunk: StoredChunk = JSON.parse(piece.toString('utf8', at, at + bytes));
  const blocks = chunk.blocks.map((stored) => {
    if (!('distance' in stored)) return withList(stored, lists);
    const { distance, bytes: length, ...rest } = stored;
    // The engine and its options were one block when they were written.
    return withList({ ...rest, options: readOptions(piece, at - distance, length) } as EngineBlock, lists);
  });
  return { ...chunk, blocks };
}

/** In JSON a list is its name alone. */
function withList(block: EngineBlock, lists: DocumentLists): EngineBlock {
  const named = listOf(block);
  if (block.engine !== 'graphql' || named === undefined) return block;
  const list = lists.get(named.sha256);
  if (list === undefined) throw new Error('a block came without its list of documents');
  return { ...block, options: { ...block.options, trustedDocuments: list } };
}

/** Options by where they begin in their piece: undefined for those that were asked for once. */
const repeated = new WeakMap<Buffer, Map<number, object | undefined>>();

/** Options that several domains have are kept as one object; those of one domain are not kept. */
function readOptions(piece: Buffer, at: number, bytes: number): object {
  const known = repeated.get(piece) ?? new Map<number, object | undefined>();
  const kept = known.get(at);
  if (kept !== undefined) return kept;
  const options: object = JSON.parse(piece.toString('utf8', at, at + bytes));
  repeated.set(piece, known.set(at, known.has(at) ? options : undefined));
  return options;
}
