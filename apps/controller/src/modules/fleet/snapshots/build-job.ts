import { type LoadOptions, loadEnvoyApi } from '@flotilla/envoy-api';
import {
  answerBuild,
  type BuildAnswer,
  type BuildQuestion,
  type DocumentKey,
  type SourceDocument,
  toDocumentKey,
} from '@flotilla/translate';
import { type DocumentText, HeldDocument } from './held-document.ts';

/**
 * The build of one document with all its inputs, as plain data. It contains private values, so it only travels through
 * the pipe between two processes.
 */
export interface BuildJob {
  /** Options for loading Envoy's API. */
  readonly api: LoadOptions;
  readonly question: BuildQuestion;
  readonly documents: readonly DocumentText[];
  /** Keys of documents that do not exist. */
  readonly absent: readonly DocumentKey[];
  readonly charsMax: number;
}

/** Runs a job. Its process imports no database code. */
export async function runBuild({ api, question, documents, absent, charsMax }: BuildJob): Promise<BuildAnswer> {
  const known = new Map<DocumentKey, SourceDocument | undefined>(absent.map((key) => [key, undefined]));
  for (const text of documents) known.set(toDocumentKey(text.collection, text.name), new HeldDocument(text));
  return answerBuild(await loadEnvoyApi(api), question, { documents: known, charsMax });
}
