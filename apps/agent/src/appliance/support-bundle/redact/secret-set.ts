/** Shorter values would also be found in ordinary words. */
const LENGTH_MIN = 8;
const VALUES_MAX = 2000;

export const REDACTED = '[redacted]';

/**
 * Values that are known to be secrets, because a configuration names them as such. Nothing in a bundle may contain one, wherever
 * it comes from: a program may have written a password to its log, for example.
 */
export class SecretSet {
  readonly #values = new Set<string>();

  add(value: string): void {
    const plain = value.trim().replace(/^(["'])(.*)\1$/s, '$2');
    if (plain.length < LENGTH_MIN || this.#values.size >= VALUES_MAX || plain === REDACTED) return;
    // Words of a configuration, such as `disabled`, and paths are no secrets.
    if (/^(?:true|false|null|none|enabled|disabled|\/[\w./-]*)$/i.test(plain)) return;
    for (const form of formsOf(plain)) this.#values.add(form);
  }

  get size(): number {
    return this.#values.size;
  }

  /** Masks every known value in a text. */
  mask(text: string): string {
    let masked = text;
    // The longest first, because one may contain another.
    for (const value of [...this.#values].toSorted((a, b) => b.length - a.length)) {
      if (masked.includes(value)) masked = masked.replaceAll(value, REDACTED);
    }
    return masked;
  }
}

/** A value as it is, and as it is written in JSON, in addresses and in base64. */
function formsOf(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  const encoded = Buffer.from(value).toString('base64');
  forms.push(encoded.replace(/=+$/, ''), Buffer.from(value).toString('base64url'));
  return forms.filter((form) => form.length >= LENGTH_MIN);
}
