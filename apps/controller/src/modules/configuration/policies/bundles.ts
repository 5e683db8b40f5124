import { Buffer } from 'node:buffer';
import { failDocument } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { Violation } from '@flotilla/kit';
import { digestBundle } from '@flotilla/policy';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { fileNameOf, type OpenPolicy, toBundleFiles } from './analysis/model.ts';
import { mayShareLimit } from './analysis/shared-limits.ts';
import { describeShortListener, findShortListener } from './body-cap.ts';
import { findBuffersByService, findListenerBuffers } from './listener-buffer-store.ts';
import type { AnalysePolicies, PolicyWorker } from './policy-worker.ts';
import { openFiles } from './secret-files.ts';
import { listEdgesFiles } from './shared-limit-view.ts';
import { findPolicies, type findPolicyUsers } from './views.ts';

/** Policies in the form for filters, including secrets: never for an answer. */
export async function openPolicies(
  { db, keyring }: { readonly db: Db; readonly keyring: Keyring },
  project: string,
  names: readonly string[],
): Promise<OpenPolicy[]> {
  const rows = await findPolicies(db, project, names);
  return rows.map((row) => ({ name: row.name, text: row.text, files: openFiles(keyring, row) }));
}

/** Dependencies of checks on policies that are used together. */
interface BundleDeps {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly read: AnalysePolicies;
}

/** Checks that every service using the policy can still run it with its other policies and listeners. */
export async function requireNoClash(
  { tx, keyring, read }: BundleDeps,
  project: string,
  {
    changed,
    bodyCap: cap,
    users,
  }: {
    readonly changed: OpenPolicy;
    readonly bodyCap: number;
    readonly users: Awaited<ReturnType<typeof findPolicyUsers>>;
  },
): Promise<void> {
  // Without a cap no listener is too small, so none is read.
  const asked = cap === 0 ? [] : users.map(({ id }) => id);
  const buffers = await findBuffersByService(tx, project, asked);
  for (const service of users) {
    const short = findShortListener(cap, buffers.get(service.id) ?? []);
    if (short) {
      const message = describeShortListener(changed.name, cap, short);
      const path = 'spec.defaults.max_request_body_bytes';
      throw failDocument(
        'policy.body_cap',
        { service: service.name, reason: message },
        { details: [{ path, rule: 'shield.body_cap', message }] },
      );
    }
    const names = service.policies.filter((other) => other !== changed.name);
    const others = await openPolicies({ db: tx, keyring }, project, names);
    const [problem] = await read(project, 'problems', [...others, changed]);
    if (!problem) continue;
    throw failDocument(
      'policy.clash',
      { service: service.name, reason: `${problem.file}:${problem.line}: ${problem.message}` },
      { details: [{ path: problem.field, rule: problem.rule, message: problem.message }] },
    );
  }
}

/** The parts of a service that concern its policies. */
export interface PolicyUser {
  readonly projectId: string;
  readonly version: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
}

/** For services: problems of using these policies together, by path in the service's document. */
export async function checkPoliciesTogether(
  { tx, keyring, read }: BundleDeps,
  { projectId: project, version, listeners, policies: names }: PolicyUser,
): Promise<Violation[]> {
  const rows = await openPolicies({ db: tx, keyring }, project, names);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const missing = names.flatMap((name, i): Violation[] =>
    byName.has(name)
      ? []
      : [{ path: `policies[${i}]`, rule: 'reference.missing', message: `there is no policy ${name} in this project` }],
  );
  if (missing.length > 0) return missing;
  const files = new Map(names.map((name, i) => [fileNameOf(name), i]));
  const found = await read(
    project,
    'problems',
    names.flatMap((name) => byName.get(name) ?? []),
  );
  const problems = found.map((problem) => ({
    path: `policies[${files.get(problem.file) ?? 0}]`,
    rule: problem.rule,
    message: `${problem.file}:${problem.line}:${problem.field}: ${problem.message}`,
  }));
  const buffers = await findListenerBuffers(tx, { project, version }, listeners);
  const short: Violation[] = [];
  for (const [i, name] of names.entries()) {
    const cap = await read(project, 'bodyCap', byName.get(name)?.text ?? '');
    const listener = findShortListener(cap, buffers);
    if (!listener) continue;
    const message = describeShortListener(name, cap, listener);
    short.push({ path: `policies[${i}]`, rule: 'shield.body_cap', message });
  }
  return [...problems, ...short];
}

export interface PolicyBundle {
  /** The digest that the filter reports when it runs the bundle. */
  readonly digest: string;
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

/** The bundle for a service's filter; undefined for a service without policies. */
export async function buildPolicyBundle(
  deps: { readonly db: Db; readonly keyring: Keyring; readonly reader: PolicyWorker },
  project: string,
  names: readonly string[],
): Promise<PolicyBundle | undefined> {
  if (names.length === 0) return undefined;
  const policies = await openPolicies(deps, project, names);
  const sharing: string[] = [];
  for (const { name, text } of policies) {
    if (mayShareLimit(text) && (await deps.reader.read(project, 'isShared', { name, text }))) sharing.push(name);
  }
  const own = await listEdgesFiles(deps.db, project, sharing);
  const files = [...toBundleFiles(policies), ...own].map(({ path, content }) => ({
    path,
    content: Buffer.from(content),
  }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { digest: digestBundle(files), files };
}
