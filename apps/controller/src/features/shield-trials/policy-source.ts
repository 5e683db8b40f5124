import { fail, type PolicySource } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { findPolicies } from '../policies/index.ts';
import { findServicePolicies } from './service-store.ts';
import type { TrialPolicy } from './trial-job.ts';

/** What is tried, and under which name a draft's problems are told. */
export interface FoundPolicies {
  readonly policies: readonly TrialPolicy[];
  /** Trusted proxies in front of the service; undefined where no service is meant. */
  readonly trustedHops: number | undefined;
}

const DRAFT = 'draft';

/** Throws record.not_found, and request.invalid for a draft of which nothing or two things are given. */
export async function findPolicySource(db: Db, projectId: string, source: PolicySource): Promise<FoundPolicies> {
  if ('draft' in source) {
    const { text, document, files = [] } = source.draft;
    const content = text ?? document;
    if (content === undefined || (text !== undefined && document !== undefined)) {
      const message = 'needs one of text and document';
      throw fail(
        'request.invalid',
        { reason: `draft ${message}` },
        { details: [{ path: 'draft', rule: 'exclusive', message }] },
      );
    }
    return { policies: [{ name: DRAFT, content, files }], trustedHops: undefined };
  }
  if ('policy' in source) {
    const rows = await findPolicies(db, projectId, [source.policy]);
    if (rows.length === 0) throw fail('record.not_found', { kind: 'policy', name: source.policy });
    return { policies: rows.map(toTrialPolicy), trustedHops: undefined };
  }
  const service = await findServicePolicies(db, projectId, source.service_id);
  if (!service) throw fail('record.not_found', { kind: 'service', name: source.service_id });
  const rows = await findPolicies(db, projectId, service.policies);
  return { policies: rows.map(toTrialPolicy), trustedHops: service.trustedHops };
}

function toTrialPolicy({ name, text, files }: Awaited<ReturnType<typeof findPolicies>>[number]): TrialPolicy {
  return { name, content: text, files };
}
