import { createHash } from 'node:crypto';
import { findDataPathFault } from './bundle-path.ts';
import { type EngineSpec, isRecord } from './engines/engine-spec.ts';
import { ENGINE_NAMES, ENGINE_SPECS, type EngineName } from './engines/index.ts';
import { type PolicyFile, readYamlSource } from './yaml-source.ts';

/**
 * SHA-256 (64 hex digits) over all files of a bundle, sorted by path. Paths and contents are prefixed by their lengths,
 * so that different bundles never hash the same bytes. The controller and the filter compare policies by this digest.
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

/** The data files that a policy document refers to, sorted and unique. Empty for a text that cannot be parsed. */
export function referencedFiles(policyText: string): string[] {
  return listNamedFiles(policyText, FILE_FIELDS);
}

/** Those of `referencedFiles` that at least one field uses as a secret. */
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

/** A field that refers to a data file, and its value: quoted, or plain up to the end of a YAML value. */
const NAMED_FILE = new RegExp(
  `\\b(?:${FILE_FIELDS.map(({ field }) => field).join('|')})["']?\\s*:\\s*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s"',}\\]#]+))`,
  'g',
);

/**
 * Finds possible data file paths in a policy text without parsing it, in linear time; sorted and unique. May find more
 * than the policy uses (in a comment), and does not follow YAML aliases and escapes. Omits paths that lead out of the
 * bundle.
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
