import { failApiDocument } from '@flotilla/contract';
import { type Closable, type JobRefusal, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { ReadAnswer } from './reading/read-document.ts';

/** The program is next to this file, as source or as its own bundle. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './reading/document-process.ts' : './controller-document-process.mjs',
  import.meta.url,
);

export type DocumentReaderLimits = Omit<SharedProcessOptions, 'entry' | 'refuse'>;

/** YAML of 5 MiB outside the fast path takes some seconds and half a gigabyte. */
const LIMITS: DocumentReaderLimits = {
  deadlineMs: 45_000,
  memoryMb: 1536,
  jobsMax: 8,
  jobsPerPartyMax: 2,
  charsMax: 32 * 1024 * 1024,
};

export type ReadDocument = Extract<ReadAnswer, { ok: true }>;

/** Reads documents in a process of its own: a hostile file can neither block the controller nor take its memory. */
export class DocumentReader implements Closable {
  readonly #process: SharedProcess<{ readonly bytes: Uint8Array }, ReadAnswer>;

  constructor(limits: DocumentReaderLimits = LIMITS) {
    const refuse = (why: JobRefusal) =>
      failApiDocument(why === 'busy' ? 'api_document.busy' : 'api_document.too_heavy');
    this.#process = new SharedProcess({ ...limits, entry: ENTRY, refuse });
  }

  /** Throws api_document.invalid, api_document.busy or api_document.too_heavy. Projects take turns. */
  async read(project: string, bytes: Uint8Array): Promise<ReadDocument> {
    const answer = await this.#process.run(project, { bytes }, bytes.byteLength);
    if (answer.ok) return answer;
    const details = answer.problems.map(({ field, message }) => ({ path: field, rule: 'document', message }));
    throw failApiDocument('api_document.invalid', { reason: details[0]?.message ?? '' }, { details });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
