import { fail, type PolicySource } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { openPolicies } from '../../configuration/public.ts';
import { findServicePolicies } from './service-store.ts';
import type { TrialFile, TrialPolicy } from './trial-job.ts';

/** The policies to try, and the name under which a draft's problems are reported. */
export interface FoundPolicies {
  readonly policies: readonly TrialPolicy[];
  /** Trusted proxies in front of the service; undefined without a service. */
  readonly trustedHops: number | undefined;
}

const DRAFT = 'draft';

/** Throws record.not_found, and request.invalid for a draft with no source or with two. */
export async function findPolicySource(
  deps: { readonly db: Db; readonly keyring: Keyring },
  projectId: string,
  source: PolicySource,
): Promise<FoundPolicies> {
  if ('draft' in source) {
    const { text, document, files = [], policy } = source.draft;
    const content = text ?? document;
    if (content === undefined || (text !== undefined && document !== undefined)) {
      const message = 'needs one of text and document';
      throw fail(
        'request.invalid',
        { reason: `draft ${message}` },
        { details: [{ path: 'draft', rule: 'exclusive', message }] },
      );
    }
    const given = files.flatMap(({ path, content_base64 }): TrialFile[] =>
      content_base64 === undefined ? [] : [{ path, content_base64, wasSealed: false }],
    );
    const stored = policy === undefined ? [] : await findSecrets(deps, projectId, policy);
    const kept = stored.filter(({ path }) => !given.some((file) => file.path === path));
    return { policies: [{ name: DRAFT, content, files: [...given, ...kept] }], trustedHops: undefined };
  }
  if ('policy' in source) {
    return { policies: [await findStored(deps, projectId, source.policy)], trustedHops: undefined };
  }
  const service = await findServicePolicies(deps.db, projectId, source.service_id);
  if (!service) throw fail('record.not_found', { kind: 'service', name: source.service_id });
  const policies = await openPolicies(deps, projectId, service.policies);
  return { policies: policies.map(toTrialPolicy), trustedHops: service.trustedHops };
}

async function findStored(
  deps: { readonly db: Db; readonly keyring: Keyring },
  projectId: string,
  name: string,
): Promise<TrialPolicy> {
  const [policy] = await openPolicies(deps, projectId, [name]);
  if (!policy) throw fail('record.not_found', { kind: 'policy', name });
  return toTrialPolicy(policy);
}

/** Stored secrets that a draft of this policy may use without sending them. */
async function findSecrets(...stored: Parameters<typeof findStored>): Promise<TrialFile[]> {
  const { files } = await findStored(...stored);
  return files.filter(({ wasSealed }) => wasSealed);
}

function toTrialPolicy({ name, text, files }: Awaited<ReturnType<typeof openPolicies>>[number]): TrialPolicy {
  return { name, content: text, files };
}
