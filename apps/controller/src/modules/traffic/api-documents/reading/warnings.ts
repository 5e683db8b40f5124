import { API_DOCUMENT_WARNINGS_MAX, type ApiDocumentWarning } from '@flotilla/contract';
import { cleanText } from './texts.ts';

/** The warnings of a document, each text once for each place, up to a limit. */
export class Warnings {
  readonly #warnings: ApiDocumentWarning[] = [];
  readonly #known = new Set<string>();
  #omitted = 0;

  add(field: string, message: string): void {
    const warning = { field: cleanText(field, 300), message: cleanText(message, 500) };
    const key = JSON.stringify(warning);
    if (this.#known.has(key)) return;
    if (this.#warnings.length >= API_DOCUMENT_WARNINGS_MAX) {
      this.#omitted += 1;
      return;
    }
    this.#known.add(key);
    this.#warnings.push(warning);
  }

  list(): ApiDocumentWarning[] {
    if (this.#omitted === 0) return this.#warnings;
    return [...this.#warnings, { field: '', message: `There are ${this.#omitted} further warnings.` }];
  }
}
