import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiError, type GivenPolicyFile, type Policy, policyRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Manifest } from '../manifest/kinds.ts';
import { readPolicy, type Scope } from '../records.ts';
import { type Change, diffLines, ifMatch, Refused } from './change.ts';

type PolicyManifest = Manifest & { kind: 'policy' };

/** A policy that the controller has checked but not stored yet. */
export interface PlannedPolicy {
  readonly change: Change;
  commit(): Promise<void>;
}

/** Checks a policy with a dry run. Throws `Refused` with the place of every problem. */
export async function planPolicy(scope: Scope, manifest: PolicyManifest): Promise<PlannedPolicy> {
  const { connection, project } = scope;
  const { name, entry } = manifest;
  const body = { text: entry.text, files: await readPolicyFiles(manifest) };
  const current = await readPolicy(scope, name).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) return undefined;
    throw (error.body.details ?? []).some(({ path }) => path === 'name') ? refuse(error, manifest) : error;
  });
  const write = async (dryRun: boolean): Promise<Policy> => {
    const query = { project, ...(dryRun && { dry_run: 'true' as const }) };
    try {
      if (!current) return (await connection.call(policyRoutes.create, { query, body: { name, ...body } })).body;
      const headers = ifMatch(current.etag);
      return (await connection.call(policyRoutes.replace, { params: { name }, query, body, headers })).body;
    } catch (error) {
      throw error instanceof ApiError ? refuse(error, manifest) : error;
    }
  };
  const planned = await write(true);
  const isSame = current?.policy.text === planned.text && current.policy.digest === planned.digest;
  const outcome = current ? (isSame ? 'unchanged' : 'changed') : 'created';
  const diff = outcome === 'changed' ? diffLines(current?.policy.text ?? '', planned.text) : [];
  const warnings = (planned.warnings ?? []).map(({ line, field, message }) => `line ${line}: ${field} ${message}`);
  if (planned.replaced_keys)
    warnings.unshift(`${planned.replaced_keys} keys in plain text are stored as digests; remove them from the file`);
  return {
    change: { kind: 'policies', name, version: null, outcome, diff, warnings },
    commit: async () => {
      if (outcome !== 'unchanged') await write(false);
    },
  };
}

function refuse(error: ApiError, { entry, name }: PolicyManifest): Error {
  const problems = (error.body.details ?? []).map(({ path, message }) => {
    const field = path === 'name' ? 'metadata.name' : path.replace(/^(?:text|document)\.?/, '');
    return entry.problem(field, withoutPlace(message, name));
  });
  return problems.length > 0 ? new Refused(error.status, problems) : error;
}

/** Removes the line that the controller names: the place in the file replaces it. */
function withoutPlace(message: string, name: string): string {
  return message.startsWith(`${name}.yaml:`) ? message.replace(/^[^:]*:\d+: /, '') : message;
}

/**
 * Reads the files that a policy names, only from the folder of the policy. A missing secret file is sent without content: the
 * controller keeps the stored one, or refuses the policy if there is none.
 */
export async function readPolicyFiles({ entry }: PolicyManifest): Promise<GivenPolicyFile[]> {
  const { referencedFiles, secretFiles } = await import('@flotilla/policy');
  const secret = new Set(secretFiles(entry.text));
  const folder = entry.file === '-' ? '.' : dirname(entry.file);
  return Promise.all(
    referencedFiles(entry.text).map(async (path) => {
      if (path.startsWith('/') || path.split(/[/\\]/).includes('..')) {
        throw new CliFailure(EXIT.failed, `${entry.file}: the file ${path} is outside the folder of the policy`);
      }
      const content = await readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' && secret.has(path)) return undefined;
        throw new CliFailure(EXIT.failed, `${entry.file}: the file ${path} cannot be read: ${error.message}`);
      });
      return content === undefined ? { path } : { path, content_base64: content.toString('base64') };
    }),
  );
}
