import { err, ok, type Result } from '@flotilla/kit';
import { digestBundle, toBytes } from './bundle.ts';
import { isPolicyFile } from './bundle-path.ts';
import { checkDocument, listHosts } from './document-checks.ts';
import { EDGES_FILE, readEdges } from './edges.ts';
import { deriveDomains, type EffectiveDomain } from './effective.ts';
import type { DataFiles } from './engines/engine-spec.ts';
import { type Complaint, type FieldPath, formatFieldPath, type LoadProblem } from './problem.ts';
import { findAliasedKeys } from './raw-keys.ts';
import type { PolicyDocument } from './schema.ts';
import { type PolicyFile, readYamlSource, type YamlSource } from './yaml-source.ts';

/** A checked bundle in its normal form, as plain data. */
export interface LoadedPolicies {
  /** `digestBundle` of all files, including data files. */
  readonly digest: string;
  /** `metadata.name` of each document, in file order. */
  readonly policyNames: readonly string[];
  readonly domains: readonly EffectiveDomain[];
}

/** Maximum number of listed problems. */
const PROBLEMS_MAX = 1000;

/** A checked bundle whose normal form is derived on demand. */
export interface CheckedPolicies extends Omit<LoadedPolicies, 'domains'> {
  readonly domainCount: number;
  /** Derived again by each call. */
  domains(): Generator<EffectiveDomain, void>;
}

/**
 * Loads a bundle: top-level `.yaml`, `.yml` and `.json` files are policy documents, all others are data files for
 * policies. Returns either the whole bundle, or every problem of every file with its place.
 */
export function loadPolicyFiles(files: readonly PolicyFile[]): Result<LoadedPolicies, LoadProblem[]> {
  const checked = checkPolicyFiles(files);
  if (!checked.ok) return checked;
  const { digest, policyNames, domains } = checked.value;
  return ok({ digest, policyNames, domains: [...domains()] });
}

/** `loadPolicyFiles` without the normal form, which takes a third of the time. `digest`: of the files, if known. */
export function checkPolicyFiles(
  files: readonly PolicyFile[],
  digest = digestBundle(files),
): Result<CheckedPolicies, LoadProblem[]> {
  const policyFiles = files.filter((file) => isPolicyFile(file.path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (policyFiles.length === 0) {
    const message = 'contains no policy document (a .yaml, .yml or .json file at its top)';
    return err([{ file: '.', line: 1, column: 1, field: '', rule: 'bundle.empty', message }]);
  }
  const problems: LoadProblem[] = [];
  const documents: PolicyDocument[] = [];
  const hostPlaces: HostPlaces = new Map();
  const dataFiles = new Map(
    files.filter((file) => !isPolicyFile(file.path)).map((file) => [file.path, toBytes(file.content)]),
  );
  for (const file of policyFiles) {
    const source = readYamlSource(file);
    if (!source.ok) {
      problems.push(...source.error);
      continue;
    }
    const complaints = checkSource(source.value, hostPlaces, dataFiles);
    if (complaints.length > 0) problems.push(...toProblems(source.value, complaints));
    else documents.push(toPolicyDocument(source.value));
  }
  const edges = readEdges(dataFiles);
  if (edges === undefined) {
    const message = 'must say {"edges": {POLICY: PROXIES}}, whole numbers from 1 on';
    problems.push({ file: EDGES_FILE, line: 1, column: 1, field: '', rule: 'bundle.edges', message });
  }
  if (problems.length > 0) return err(problems.slice(0, PROBLEMS_MAX));
  return ok({
    digest,
    policyNames: documents.map((document) => document.metadata.name),
    domainCount: documents.reduce((count, document) => count + document.spec.domains.length, 0),
    *domains() {
      for (const document of documents) yield* deriveDomains(document, dataFiles, edges);
    },
  });
}

/** Checks a single document: what a bundle check reports, except for hosts that other files cover too. */
export function parsePolicyDocument(file: PolicyFile): Result<PolicyDocument, LoadProblem[]> {
  const source = readYamlSource(file);
  if (!source.ok) return source;
  const complaints = checkSource(source.value, new Map());
  if (complaints.length > 0) return err(toProblems(source.value, complaints).slice(0, PROBLEMS_MAX));
  return ok(toPolicyDocument(source.value));
}

/** The source must have no complaints. The schema changes nothing, so the value need not be copied. */
function toPolicyDocument(source: YamlSource): PolicyDocument {
  return source.value as PolicyDocument;
}

function checkSource(source: YamlSource, hostPlaces: HostPlaces, files?: DataFiles): Complaint[] {
  return [...checkDocument(source.value, files), ...findAliasedKeys(source), ...checkHostsUnique(source, hostPlaces)];
}

/** The place where each host is covered; lines are computed only for complaints. */
type HostPlaces = Map<string, { readonly source: YamlSource; readonly path: FieldPath }>;

/** Uses the field for an entry in the same file, because the file's name here may not be the one that the person knows. */
function formatPlace(
  { source, path }: { readonly source: YamlSource; readonly path: FieldPath },
  reported: YamlSource,
): string {
  return source === reported ? `by ${formatFieldPath(path)}` : `at ${source.file}:${source.locate(path, 'value').line}`;
}

/** A host belongs to one domain of one file, because two domains could contradict each other. */
function checkHostsUnique(source: YamlSource, places: HostPlaces): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { host, path } of listHosts(source.value)) {
    const first = places.get(host);
    if (first === undefined) {
      places.set(host, { source, path });
      continue;
    }
    const message = `${host} is already covered ${formatPlace(first, source)}`;
    complaints.push({ path, rule: 'host.duplicate', message });
  }
  return complaints;
}

export function toProblems(source: YamlSource, complaints: readonly Complaint[]): LoadProblem[] {
  return complaints
    .map((complaint) => ({
      file: source.file,
      ...source.locate(complaint.path, complaint.at ?? 'value'),
      field: formatFieldPath(complaint.path),
      rule: complaint.rule,
      message: complaint.message,
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}
