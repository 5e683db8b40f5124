import { createHash } from 'node:crypto';
import { findDataPathFault } from './bundle-path.ts';
import { type EngineSpec, isRecord } from './engines/engine-spec.ts';
import { ENGINE_NAMES, ENGINE_SPECS, type EngineName } from './engines/index.ts';
import { type PolicyFile, readYamlSource } from './yaml-source.ts';

/**
 * SHA-256 (64 hex digits) over all files of a bundle, sorted by path. Paths and contents are framed by their lengths, so
 * that no two different bundles feed the same bytes. The controller and the filter compare policies by it.
 */
export function digestBundle(files: readonly PolicyFile[]): string {
  const digest = createHash('sha256');
  const frame = (bytes: Uint8Array) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.byteLength));
    digest.update(length).update(bytes);
  };
  const framed = files.map((file) => ({ path: Buffer.from(file.path), content: toBytes(file.content) }));
  for (const file of framed.sort((a, b) => Buffer.compare(a.path, b.path))) {
    frame(file.path);
    frame(file.content);
  }
  return digest.digest('hex');
}

interface FileField {
  readonly engine: EngineName;
  readonly field: string;
}

/** Fields of engine blocks whose value is the path of a data file inside the bundle. */
const FILE_FIELDS = listFields(({ fileFields }) => fileFields);
const SECRET_FILE_FIELDS = listFields(({ secretFileFields }) => secretFileFields);

function listFields(fieldsOf: (spec: EngineSpec<unknown>) => readonly string[] | undefined): FileField[] {
  return ENGINE_NAMES.flatMap((engine) => (fieldsOf(ENGINE_SPECS[engine]) ?? []).map((field) => ({ engine, field })));
}

/** Data files that a policy document names, each once, sorted. A text that cannot be read names none. */
export function referencedFiles(policyText: string): string[] {
  return listNamedFiles(policyText, FILE_FIELDS);
}

/** Those of `referencedFiles` that are secrets in at least one of the places that name them. */
export function secretFiles(policyText: string): string[] {
  return listNamedFiles(policyText, SECRET_FILE_FIELDS);
}

function listNamedFiles(policyText: string, fields: readonly FileField[]): string[] {
  const source = readYamlSource({ path: 'policy.yaml', content: policyText });
  if (!source.ok || !isRecord(source.value.value) || !isRecord(source.value.value.spec)) return [];
  const domains = source.value.value.spec.domains;
  const names = new Set<string>();
  for (const domain of Array.isArray(domains) ? domains : []) {
    if (!isRecord(domain)) continue;
    const routes = Array.isArray(domain.routes) ? domain.routes : [];
    for (const holder of [domain, ...routes]) {
      const engines = isRecord(holder) && isRecord(holder.policy) ? holder.policy.engines : undefined;
      for (const { engine, field } of fields) {
        const block = isRecord(engines) ? engines[engine] : undefined;
        const name = isRecord(block) ? block[field] : undefined;
        if (typeof name === 'string' && name !== '') names.add(name);
      }
    }
  }
  return [...names].sort();
}

/** A field that names a data file, and its value: quoted, or plain up to what ends a value in YAML. */
const NAMED_FILE = new RegExp(
  `\\b(?:${FILE_FIELDS.map(({ field }) => field).join('|')})["']?\\s*:\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s"',}\\]#]+))`,
  'g',
);

/**
 * What looks like the path of a data file in a policy text, each once, sorted: found without parsing, in linear time. It
 * may name more than the policy does (in a comment), and does not follow YAML aliases and escapes. Paths that lead out of
 * the bundle are left out.
 */
export function scanFileNames(policyText: string): string[] {
  const names = new Set<string>();
  for (const [, double, single, plain] of policyText.matchAll(NAMED_FILE)) {
    const name = double ?? single ?? plain ?? '';
    if (findDataPathFault(name) === undefined) names.add(name);
  }
  return [...names].sort();
}

export function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
