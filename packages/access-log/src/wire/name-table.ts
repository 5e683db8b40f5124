interface Known<Name> {
  readonly name: Name;
  readonly bytes: Buffer;
}

const LENGTH_MAX = 64;

/** Finds a name by its bytes, without decoding them. There are few names of one length. */
export class NameTable<Name extends string> {
  readonly #byLength: readonly (readonly Known<Name>[])[];

  constructor(names: readonly Name[]) {
    this.#byLength = Array.from({ length: LENGTH_MAX }, (_, length) =>
      names.filter((name) => name.length === length).map((name) => ({ name, bytes: Buffer.from(name) })),
    );
  }

  find(bytes: Buffer, start: number, end: number): Name | undefined {
    const known = this.#byLength[end - start];
    if (known === undefined) return undefined;
    for (const { name, bytes: own } of known) if (isEqual(own, bytes, start)) return name;
    return undefined;
  }
}

function isEqual(own: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = own.length - 1; at >= 0; at -= 1) if (own[at] !== bytes[start + at]) return false;
  return true;
}
