import { Buffer } from 'node:buffer';
import { failDocument } from '@flotilla/contract';
import { err, ok, type Result, type Violation } from '@flotilla/kit';
import {
  digestBundle,
  formatProblem,
  isPolicyFile,
  type LoadProblem,
  loadPolicyFiles,
  type PolicyFile,
  parsePolicyDocument,
  placeComplaint,
  referencedFiles,
  replaceRawKeys,
  secretFiles,
} from '@flotilla/policy';
import { bodyCapOf } from './body-cap.ts';
import type { OpenFile } from './policy-files.ts';

/** The content of a policy, including secrets. */
export interface PolicyContent {
  readonly description: string | null;
  readonly text: string;
  readonly files: readonly OpenFile[];
}

/** One policy of a bundle, including secrets. */
export interface OpenPolicy {
  readonly name: string;
  readonly text: string;
  readonly files: readonly OpenFile[];
}

/** The result of a passed check. */
export interface CheckedPolicy {
  readonly digest: string;
  /** The text with raw keys replaced, and their number; undefined without any. */
  readonly replaced: { readonly text: string; readonly keys: number } | undefined;
  /** Result of `namesOf`. */
  readonly secrets: readonly string[];
  /** Result of `bodyCapOf`. */
  readonly bodyCap: number;
}

/** Why a policy is refused. */
export type PolicyFault =
  | { readonly kind: 'problems'; readonly problems: readonly LoadProblem[] }
  | { readonly kind: 'field'; readonly violation: Violation };

/** Name of the policy's own file in a bundle. The YAML parser also accepts JSON. */
export function fileNameOf(policyName: string): string {
  return `${policyName}.yaml`;
}

/** Runs the filter's own checks on the text, with its raw keys replaced by digests, and on its files. */
export function checkPolicy(
  name: string,
  content: Omit<PolicyContent, 'description'>,
): Result<CheckedPolicy, PolicyFault> {
  const file = { path: fileNameOf(name), content: content.text };
  const parsed = parsePolicyDocument(file);
  if (!parsed.ok) return err({ kind: 'problems', problems: parsed.error });
  if (parsed.value.metadata.name !== name) {
    const message = `is ${JSON.stringify(parsed.value.metadata.name)} but the policy is named ${name}; make them equal`;
    const problems = placeComplaint(file, { path: ['metadata', 'name'], rule: 'name', message });
    return err({ kind: 'problems', problems });
  }
  const { text, replaced } = replaceRawKeys(content.text);
  const names = namesOf(text);
  const violation = findFileProblem(names, content.files);
  if (violation) return err({ kind: 'field', violation });
  const bundle = toBundleFiles([{ name, text, files: content.files }]);
  // Also checks the content of the files: otherwise a service would refuse the policy later, and a filter its whole
  // bundle.
  const loaded = content.files.length === 0 ? undefined : loadPolicyFiles(bundle);
  if (loaded?.ok === false) return err({ kind: 'problems', problems: loaded.error });
  return ok({
    digest: digestBundle(bundle),
    replaced: replaced === 0 ? undefined : { text, keys: replaced },
    secrets: names.secrets,
    bodyCap: bodyCapOf(text),
  });
}

/** The files that a text names. */
export interface NamedFiles {
  readonly all: readonly string[];
  /** Files that are secrets in at least one place. */
  readonly secrets: readonly string[];
}

export function namesOf(text: string): NamedFiles {
  return { all: referencedFiles(text), secrets: secretFiles(text) };
}

/** The files of a bundle: the policies at the top, their named files below. */
export function toBundleFiles(policies: readonly OpenPolicy[]): PolicyFile[] {
  const data = new Map<string, PolicyFile>();
  for (const { files } of policies) {
    for (const { path, content_base64 } of files)
      data.set(path, { path, content: Buffer.from(content_base64, 'base64') });
  }
  return [...policies.map(({ name, text }) => ({ path: fileNameOf(name), content: text })), ...data.values()];
}

/**
 * Conflicts that prevent policies from sharing a bundle: a host in two policies, or two different files with one name.
 */
export function findBundleProblems(policies: readonly OpenPolicy[]): LoadProblem[] {
  const contents = new Map<string, string>();
  for (const { name, files } of policies) {
    for (const { path, content_base64 } of files) {
      if ((contents.get(path) ?? content_base64) !== content_base64) {
        const message = `another policy of the service brings another file ${path}`;
        return [{ file: fileNameOf(name), line: 1, column: 1, field: '', rule: 'file.clash', message }];
      }
      contents.set(path, content_base64);
    }
  }
  const loaded = policies.length === 0 ? undefined : loadPolicyFiles(toBundleFiles(policies));
  return !loaded || loaded.ok ? [] : loaded.error;
}

/** The hosts of a stored policy as written in it. */
export function hostsOf(name: string, text: string): string[] {
  const parsed = parsePolicyDocument({ path: fileNameOf(name), content: text });
  if (!parsed.ok) return [];
  return parsed.value.spec.domains.flatMap((domain) => domain.hosts);
}

const FILE_PATH = /^(?!\/)(?:(?!\.{1,2}(?:\/|$))[\w.@+-]+\/)*(?!\.{1,2}$)[\w.@+-]+$/;

function findFileProblem(names: NamedFiles, files: readonly OpenFile[]): Violation | undefined {
  const named = new Set(names.all);
  const seen = new Set<string>();
  for (const [i, { path }] of files.entries()) {
    const at = `files[${i}].path`;
    if (!FILE_PATH.test(path)) return { path: at, rule: 'file.path', message: 'must be relative, without ".."' };
    if (isPolicyFile(path)) return { path: at, rule: 'file.path', message: 'would be read as a policy of its own' };
    if (seen.has(path)) return { path: at, rule: 'unique', message: `is ${path} for the second time` };
    if (!named.has(path)) return { path: at, rule: 'file.unused', message: `${path} is not named in the policy` };
    seen.add(path);
  }
  const missing = [...named].find((path) => !seen.has(path));
  if (missing === undefined) return undefined;
  if (names.secrets.includes(missing)) {
    const message = `the policy names the secret ${missing}, which is neither among the files nor stored for this policy`;
    return { path: 'files', rule: 'file.secret_missing', message };
  }
  return { path: 'files', rule: 'file.missing', message: `the policy names ${missing}, which is not among the files` };
}

export function refuseFault(fault: PolicyFault): Error {
  return fault.kind === 'problems' ? refusePolicy(fault.problems) : refuseField(fault.violation);
}

export function refusePolicy(problems: readonly LoadProblem[]): Error {
  const [first] = problems;
  return failDocument(
    'policy.invalid',
    { reason: first ? formatProblem(first) : '' },
    {
      details: problems.map((problem) => ({
        path: problem.field,
        rule: problem.rule,
        message: `${problem.file}:${problem.line}: ${problem.message}`,
      })),
      extra: { problems },
    },
  );
}

export function refuseField(violation: Violation): Error {
  return failDocument('policy.invalid', { reason: `${violation.path} ${violation.message}` }, { details: [violation] });
}
