import { hasLimiter } from '@flotilla/engines';
import { DocumentList, type EngineBlock, type HostPattern } from '@flotilla/policy';
import type { DomainChunk, DomainPart } from './domain-chunks.ts';

/**
 * A bundle is transferred between threads in pieces: shared memory, which the garbage collector does not scan and every
 * thread reads in place. A piece begins with a directory in JSON, preceded by its length (4 bytes, little-endian). Then
 * follow long options that several blocks may share, and the JSON chunks of its domains. The reader parses the
 * directory, and only those chunks that must be created at once. A document list is its own piece, before the
 * first piece that refers to it: its directory contains the name, and the bytes after it are used in place.
 */
interface PieceDirectory {
  /** The largest value of all policies in the piece. */
  readonly bodyMaxBytes: number;
  readonly budgetMs: number;
  /** Names of the document lists that its domains need. */
  readonly lists: readonly string[];
  readonly chunks: readonly ChunkEntry[];
}

/** The directory of a piece that is a list of documents. */
interface ListDirectory {
  readonly list: string;
}

/** Part of a domain. The first one has the hosts. */
export type HostedPart = DomainPart & { readonly hosts?: readonly HostPattern[] };

/** Description of a chunk that has not been parsed. */
export interface ChunkEntry extends HostedPart {
  /** Offset after the directory, and length. */
  readonly at: number;
  readonly bytes: number;
  /** The chunk is a complete domain, small enough that a request can wait while it is created. */
  readonly isSmall: boolean;
  /**
   * Blocks with a limiter, in order, because limiters are matched across threads and reloads. Only for a small domain:
   * others are read at once with their blocks.
   */
  readonly limiters: readonly EngineBlock[];
}

/** A block whose options are stored elsewhere in the piece: `distance` bytes before the beginning of the chunk. */
type DistantBlock = Omit<EngineBlock, 'options'> & {
  readonly distance: number;
  readonly bytes: number;
};

type StoredChunk = Omit<DomainChunk, 'blocks'> & { readonly blocks: readonly (EngineBlock | DistantBlock)[] };

/** Domains of this size are parsed and created in a third of a millisecond. */
const SMALL_MAX_BYTES = 32 * 1024;
/** Longer options are stored once per piece: thousands of domains may share the keys of a token issuer. */
const INLINE_MAX_CHARS = 1024;
/**
 * Maximum weight of a piece, which then takes half a millisecond. A domain weighs 1, and so does each host and each
 * limiter.
 */
const PIECE_MAX_WEIGHT = 384;
/** Content that is created at once weighs 1 per item and 1 per this many bytes. */
const BYTES_PER_WEIGHT = 256;
const LENGTH_BYTES = 4;

/** Offset after the directory, and length. */
interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** `chunkAt` is the beginning of the chunk that contains the block. */
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
  /** Places of long options, by their text. */
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

/** Document lists received so far, by name. */
export type DocumentLists = ReadonlyMap<string, DocumentList>;

export interface ChunkPlace {
  readonly piece: Buffer;
  /** Offset in the piece. */
  readonly at: number;
  readonly entry: ChunkEntry;
}

/** A piece is either a part of the domains or a document list, which is a view of its bytes. */
export type OpenPiece =
  | (Omit<PieceDirectory, 'chunks'> & { readonly kind: 'domains'; readonly places: readonly ChunkPlace[] })
  | { readonly kind: 'list'; readonly list: DocumentList };

export function openPiece(bytes: Uint8Array): OpenPiece {
  const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = LENGTH_BYTES + piece.readUInt32LE();
  const directory: PieceDirectory | ListDirectory = JSON.parse(piece.toString('utf8', LENGTH_BYTES, end));
  if ('list' in directory) return { kind: 'list', list: new DocumentList(directory.list, piece.subarray(end)) };
  const { chunks, ...largest } = directory;
  return { kind: 'domains', ...largest, places: chunks.map((entry) => ({ piece, at: end + entry.at, entry })) };
}

export interface ChunkBytes extends Place {
  readonly piece: Buffer;
}

/** Throws if a document list that the chunk refers to has not been received. */
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

/** In JSON, a list is only its name. */
function withList(block: EngineBlock, lists: DocumentLists): EngineBlock {
  const named = listOf(block);
  if (block.engine !== 'graphql' || named === undefined) return block;
  const list = lists.get(named.sha256);
  if (list === undefined) throw new Error('a block came without its list of documents');
  return { ...block, options: { ...block.options, trustedDocuments: list } };
}

/** Parsed options by their offset in the piece; undefined if they were requested only once. */
const repeated = new WeakMap<Buffer, Map<number, object | undefined>>();

/** Options of several domains are cached as one object; options of a single domain are not. */
function readOptions(piece: Buffer, at: number, bytes: number): object {
  const known = repeated.get(piece) ?? new Map<number, object | undefined>();
  const kept = known.get(at);
  if (kept !== undefined) return kept;
  const options: object = JSON.parse(piece.toString('utf8', at, at + bytes));
  repeated.set(piece, known.set(at, known.has(at) ? options : undefined));
  return options;
}
