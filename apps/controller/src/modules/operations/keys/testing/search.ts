import { Buffer } from 'node:buffer';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Every encoding in which a text may appear in a file, by name. */
export function formsOf(secret: string): Map<string, Buffer> {
  const raw = Buffer.from(secret);
  const forms = new Map<string, Buffer>([
    ['raw', raw],
    ['hex', Buffer.from(raw.toString('hex'))],
    ['upper-case hex', Buffer.from(raw.toString('hex').toUpperCase())],
    ['UTF-16LE', Buffer.from(secret, 'utf16le')],
    ['UTF-16BE', Buffer.from(secret, 'utf16le').swap16()],
    ['JSON', Buffer.from(JSON.stringify(secret).slice(1, -1))],
    ['JSON in JSON', Buffer.from(JSON.stringify(JSON.stringify(secret)).slice(3, -3))],
    ['ASCII JSON', Buffer.from(toAsciiJson(secret))],
    ['percent-encoded', Buffer.from(encodeURIComponent(secret))],
    ['form-encoded', Buffer.from(new URLSearchParams({ q: secret }).toString().slice(2))],
  ]);
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), raw]).toString('base64');
    // The characters at both ends also encode neighbouring bits.
    const own = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + raw.length) * 8) / 6));
    forms.set(`base64 at ${before}`, Buffer.from(own));
    forms.set(`base64url at ${before}`, Buffer.from(own.replaceAll('+', '-').replaceAll('/', '_')));
  }
  return forms;
}

function toAsciiJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

interface Needle {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

const PIECE_BYTES = 8 * 1024 * 1024;

/** Searches for many secrets in all their encodings at once. */
export class SecretSearch {
  /** By the first three bytes. */
  readonly #needles = new Map<number, Needle[]>();
  readonly #starts = new Uint8Array(1 << 24);
  #longest = 0;

  constructor(secrets: ReadonlyMap<string, string>) {
    for (const [name, secret] of secrets) {
      if (secret.length < 8) throw new Error(`${name} is too short to search for`);
      for (const [form, bytes] of formsOf(secret)) {
        const start = bytes.readUIntBE(0, 3);
        this.#starts[start] = 1;
        this.#needles.set(start, [...(this.#needles.get(start) ?? []), { secret: name, form, bytes }]);
        this.#longest = Math.max(this.#longest, bytes.length);
      }
    }
  }

  /** Returns the secrets found, with their encoding. */
  findIn(bytes: Buffer): string[] {
    const found = new Set<string>();
    let start = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      start = ((start << 8) | (bytes[i] ?? 0)) & 0xffffff;
      if (i < 2 || this.#starts[start] === 0) continue;
      for (const { secret, form, bytes: needle } of this.#needles.get(start) ?? [])
        if (bytes.compare(needle, 0, needle.length, i - 2, Math.min(bytes.length, i - 2 + needle.length)) === 0)
          found.add(`${secret} as ${form}`);
    }
    return [...found];
  }

  /** Searches all files below a folder except for the named ones, and reports where each secret was found. */
  async findBelow(folder: string, except: readonly string[]): Promise<{ found: string[]; bytes: number }> {
    const found = new Set<string>();
    let bytes = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || except.includes(path)) continue;
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        // Pieces overlap, so that no match is cut in two.
        for (let at = 0; at < size; at += PIECE_BYTES - this.#longest) {
          const piece = Buffer.alloc(Math.min(PIECE_BYTES, size - at));
          await file.read(piece, 0, piece.length, at);
          for (const one of this.findIn(piece)) found.add(`${one} in ${path.slice(folder.length + 1)}`);
        }
        bytes += size;
      } finally {
        await file.close();
      }
    }
    return { found: [...found], bytes };
  }
}
