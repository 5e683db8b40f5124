import { EOS_SYMBOL, HUFFMAN_CODES } from './huffman-code.ts';

/**
 * Decoding reads four bits per step. A state is an inner node of the code tree. No code is shorter than five bits, so a
 * step completes at most one symbol. An entry contains the next state in bits 0-8, a flag for "a symbol", the symbol,
 * and a flag for EOS.
 */
const SYMBOL_FLAG = 1 << 9;
const SYMBOL_SHIFT = 10;
const INVALID = 1 << 20;
const STATE_MASK = 0x1ff;
const STEPS_PER_STATE = 16;

const { steps, mayEnd } = buildSteps();

/**
 * Decodes `bytes[start..end)` into `target` at `at`, which must have room for 8/5 of the bytes. Returns the end of the
 * output, or -1 if the bytes are not a Huffman string: they contain EOS, or the padding is longer than 7 bits or not
 * all ones (RFC 7541 section 5.2).
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  let state = 0;
  let out = at;
  for (let n = start; n < end; n++) {
    const byte = bytes[n] as number;
    let step = steps[state * STEPS_PER_STATE + (byte >>> 4)] as number;
    if ((step & SYMBOL_FLAG) !== 0) target[out++] = step >>> SYMBOL_SHIFT;
    if (step >= INVALID) return -1;
    step = steps[(step & STATE_MASK) * STEPS_PER_STATE + (byte & 15)] as number;
    if ((step & SYMBOL_FLAG) !== 0) target[out++] = step >>> SYMBOL_SHIFT;
    if (step >= INVALID) return -1;
    state = step & STATE_MASK;
  }
  return mayEnd[state] === 1 ? out : -1;
}

function buildSteps(): { steps: Uint32Array; mayEnd: Uint8Array } {
  // children[2 * node + bit]: a node, or -1 - symbol for a leaf.
  const children: number[] = [0, 0];
  for (const { symbol, bits, length } of HUFFMAN_CODES) {
    let node = 0;
    for (let shift = length - 1; shift > 0; shift--) {
      const slot = 2 * node + ((bits >>> shift) & 1);
      if (children[slot] === 0) {
        children[slot] = children.length / 2;
        children.push(0, 0);
      }
      node = children[slot] as number;
    }
    children[2 * node + (bits & 1)] = -1 - symbol;
  }
  const nodes = children.length / 2;
  const table = new Uint32Array(nodes * STEPS_PER_STATE);
  for (let node = 0; node < nodes; node++) {
    for (let nibble = 0; nibble < STEPS_PER_STATE; nibble++) {
      table[node * STEPS_PER_STATE + nibble] = walk(children, node, nibble);
    }
  }
  // Padding is a prefix of EOS: at most seven ones.
  const ends = new Uint8Array(nodes);
  let node = 0;
  for (let depth = 0; depth <= 7; depth++) {
    ends[node] = 1;
    node = children[2 * node + 1] as number;
  }
  return { steps: table, mayEnd: ends };
}

function walk(children: readonly number[], from: number, nibble: number): number {
  let node = from;
  let step = 0;
  for (let shift = 3; shift >= 0; shift--) {
    const next = children[2 * node + ((nibble >>> shift) & 1)] as number;
    if (next >= 0) {
      node = next;
      continue;
    }
    const symbol = -1 - next;
    if (symbol === EOS_SYMBOL) return INVALID;
    step = SYMBOL_FLAG | (symbol << SYMBOL_SHIFT);
    node = 0;
  }
  return step | node;
}
