import { hash } from 'node:crypto';
import { type DataFiles, isRecord } from './engines/engine-spec.ts';
import { ENGINE_SPECS, type EngineName, type EngineOptions } from './engines/index.ts';

/** The content of an engine block, independent of its place. */
interface BlockContent {
  readonly options: EngineOptions[EngineName];
  /** SHA-256 of the options in hexadecimal. */
  readonly digest: string;
}

/** Cached content of blocks that refer to files, by their text: thousands of domains may share a list of a megabyte. */
const ofFiles = new WeakMap<DataFiles, Map<string, BlockContent>>();

/** Blocks with the same text that refer to a file share one options object. */
export function readBlockContent(engine: EngineName, written: unknown, files: DataFiles): BlockContent {
  if (!namesFile(engine, written)) return makeBlockContent(engine, written, files);
  const known = ofFiles.get(files) ?? new Map<string, BlockContent>();
  const text = `${engine} ${JSON.stringify(written)}`;
  const content = known.get(text) ?? makeBlockContent(engine, written, files);
  ofFiles.set(files, known.set(text, content));
  return content;
}

function namesFile(engine: EngineName, written: unknown): boolean {
  const { fileFields = [] } = ENGINE_SPECS[engine];
  return isRecord(written) && fileFields.some((field) => written[field] !== undefined);
}

function makeBlockContent(engine: EngineName, written: unknown, files: DataFiles): BlockContent {
  const options = ENGINE_SPECS[engine].normalize(written, files);
  return { options, digest: hash('sha256', JSON.stringify(options), 'hex') };
}
