import { IntList } from '../growable.ts';

/** A stack of bits, 32 per integer, because brackets may be nested as deeply as a body is long. */
export class BitStack {
  length = 0;
  readonly #words = new IntList(32);

  push(bit: number): void {
    const word = this.length >>> 5;
    if (word >= this.#words.length) this.#words.extend(1);
    const mask = 1 << (this.length & 31);
    const { values } = this.#words;
    values[word] = bit === 1 ? (values[word] as number) | mask : (values[word] as number) & ~mask;
    this.length++;
  }

  pop(): void {
    this.length--;
  }

  /** The last bit. The stack must not be empty. */
  top(): number {
    return this.#at(this.length - 1);
  }

  /** The first bit. The stack must not be empty. */
  bottom(): number {
    return this.#at(0);
  }

  clear(): void {
    this.length = 0;
    this.#words.clear();
  }

  #at(index: number): number {
    return ((this.#words.values[index >>> 5] as number) >>> (index & 31)) & 1;
  }
}
