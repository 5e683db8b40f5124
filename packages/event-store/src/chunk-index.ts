export { type Bits64, NO_BITS, readHex, toHashBits } from './bits.ts';
export { ChunkBuilder, type ChunkRow, type EventChunk } from './chunk.ts';
