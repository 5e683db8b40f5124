import { readFile, stat } from 'node:fs/promises';

const NONCE_PLACE = '__CSP_NONCE__';

interface Template {
  readonly version: string;
  readonly parts: readonly string[];
}

/** The single page of the web UI, read once and again when a build replaces it. */
export class IndexPage {
  readonly #path: string;
  #template: Template | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** undefined if the web UI is not built. */
  async render(nonce: string): Promise<string | undefined> {
    const template = await this.#read().catch(() => undefined);
    return template?.parts.join(nonce);
  }

  async #read(): Promise<Template> {
    const { mtimeMs, size } = await stat(this.#path);
    const version = `${mtimeMs} ${size}`;
    if (this.#template?.version !== version) {
      this.#template = { version, parts: (await readFile(this.#path, 'utf8')).split(NONCE_PLACE) };
    }
    return this.#template;
  }
}
