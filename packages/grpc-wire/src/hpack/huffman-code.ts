/**
 * The code of RFC 7541 appendix B. It is canonical, so the lengths define it: codes of equal length are consecutive, in
 * the order of their symbols. Symbol 256 is EOS.
 */
// biome-ignore format: a table
const CODE_LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

export const EOS_SYMBOL = 256;

export interface HuffmanCode {
  readonly symbol: number;
  /** The bits of the code, most significant first. */
  readonly bits: number;
  readonly length: number;
}

/** All codes, indexed by symbol. */
export const HUFFMAN_CODES: readonly HuffmanCode[] = deriveCodes();

function deriveCodes(): HuffmanCode[] {
  const bySize = CODE_LENGTHS.map((length, symbol) => ({ symbol, length }));
  bySize.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let bits = 0;
  let previous = 0;
  const codes = bySize.map(({ symbol, length }) => {
    bits <<= length - previous;
    previous = length;
    const code = { symbol, bits, length };
    bits += 1;
    return code;
  });
  return codes.sort((a, b) => a.symbol - b.symbol);
}
