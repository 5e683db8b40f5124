import { hash } from 'node:crypto';
import { type DataFiles, isRecord } from './engines/engine-spec.ts';
import { ENGINE_SPECS, type EngineName, type EngineOptions } from './engines/index.ts';

/** What an engine block says, wherever it is written. */
interface BlockContent {
  readonly options: EngineOptions[EngineName];
  /** SHA-256 of the options, in hexadecimal. */
  readonly digest: string;
}

/** What was made of blocks that name files, by their text: a list of a megabyte may be that of thousands of domains. */
const ofFiles = new WeakMap<DataFiles, Map<string, BlockContent>>();

/** Blocks that say the same and name a file have the same options, as one object. */
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
