import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '@flotilla/db';

export interface SampleContext {
  /** For records that no route creates. */
  readonly db: Db;
  readonly project: string;
  /** Part of every text that the sample contains. */
  readonly marker: string;
  /** Calls a route as an owner of the installation and returns the body of its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  make(method: string, path: string, body: unknown): Promise<any>;
}

/** Creates one record of each kind of the feature. Returns their ids by the path parameter of the routes about them. */
export type CreateSample = (context: SampleContext) => Promise<Readonly<Record<string, string>>>;

const SOURCES = join(import.meta.dirname, '../..');

/** The samples of all features: the function `createSample` in `testing/sample.ts` of their folders. */
export async function createSamples(context: SampleContext): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const path of globSync('modules/*/*/testing/sample.ts', { cwd: SOURCES }).toSorted()) {
    const { createSample }: { createSample: CreateSample } = await import(join(SOURCES, path));
    Object.assign(ids, await createSample(context));
  }
  return ids;
}
