import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { storeDetectors } from './detector-store.ts';
import { storeLearner } from './learner-store.ts';
import type { FromThread } from './messages.ts';

export interface LearnedWriterDeps {
  readonly db: Db;
  /** Under which it is stored: other collectors have other ids. */
  readonly collector: string;
  readonly logger: Logger;
  readonly now: () => number;
  /** Stored operations of the project may have other names now. */
  readonly onNamesChanged: (project: string) => void;
}

const SHAPES_MAX = 10_000;

/** Stores what the thread has learned. */
export class LearnedWriter {
  readonly #deps: LearnedWriterDeps;
  readonly #saving = new Set<Promise<void>>();
  /** The templates of each project that were saved last. */
  readonly #shapes = new Map<string, string>();

  constructor(deps: LearnedWriterDeps) {
    this.#deps = deps;
  }

  savePaths({ project, state, places, shapes }: FromThread & { kind: 'learner' }): void {
    const { db, collector, now } = this.#deps;
    this.#save('paths', async () => {
      await storeLearner(db, project, { collector, state: toBuffer(state), places, at: new Date(now()) });
      this.#noteShapes(project, shapes);
    });
  }

  saveDetectors({ project, state, lastReset }: FromThread & { kind: 'detectors' }): void {
    const { db, collector, now } = this.#deps;
    this.#save('detectors', () =>
      storeDetectors(db, project, { collector, state: toBuffer(state), lastReset, at: new Date(now()) }),
    );
  }

  /** Resolves when nothing is being stored any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#saving);
  }

  #noteShapes(project: string, shapes: string): void {
    if (this.#shapes.get(project) === shapes) return;
    if (this.#shapes.size >= SHAPES_MAX) this.#shapes.clear();
    this.#shapes.set(project, shapes);
    this.#deps.onNamesChanged(project);
  }

  #save(what: string, store: () => Promise<void>): void {
    const saving = store()
      .catch((error: unknown) => this.#deps.logger.warn({ err: error, what }, 'collector.learner_not_saved'))
      .finally(() => this.#saving.delete(saving));
    this.#saving.add(saving);
  }
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength);
