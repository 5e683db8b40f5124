import { act, type Output, toTable, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { listPolicies, readPolicy, type Scope } from '../records.ts';
import type { ListFilter } from './fleet.ts';
import { policies } from './lookups.ts';

export const POLICIES: Verb = act(
  {
    help: 'list security policies, or print one in the form that apply accepts',
    inputs: [{ flags: '[name]', source: policies.source }],
  },
  async ({ scope }, wanted: ListFilter) => showPolicies(scope, wanted),
);

export async function showPolicies(scope: Scope, { name, query }: ListFilter): Promise<Output> {
  if (name !== undefined) {
    const { policy } = await readPolicy(scope, name);
    return { json: policy, raw: policy.text };
  }
  return toTable(await listPolicies(scope, query), {
    name: 'name',
    hosts: ({ hosts }) => hosts.join(', '),
    digest: ({ digest }) => digest.slice(0, 12),
    revision: 'revision',
    changed: age('updated_at'),
    by: 'updated_by',
  });
}
