import { type BgpPolicyEntry, readBgpPolicies } from '@flotilla/contract';
import { Empty, type PlainColumn, PlainTable } from '../../../ui/index.ts';
import type { Client } from '../model.ts';
import { Answer } from './answer.tsx';
import { texts } from './texts.ts';
import { useRouting } from './use-routing.ts';

const text = texts.policies;

const COLUMNS: readonly PlainColumn<BgpPolicyEntry>[] = [
  { id: 'name', header: text.name, isNarrow: true, cell: ({ name }) => <span className="mono">{name}</span> },
  { id: 'kind', header: text.kind, isNarrow: true, cell: ({ kind }) => kind },
  { id: 'sequence', header: text.sequence, align: 'right', cell: ({ sequence }) => sequence },
  { id: 'action', header: text.action, cell: ({ action }) => action },
  { id: 'rule', header: text.rule, cell: ({ rule }) => <span className="mono">{rule}</span> },
];

export function PoliciesPart({ client }: { client: Client }) {
  const query = useRouting(client.client_id, 'BGP_GET_POLICY_CONFIG');
  return (
    <Answer query={query} what={text.what} read={readBgpPolicies}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <PlainTable
            name={text.list}
            rows={entries}
            columns={COLUMNS}
            rowId={({ kind, name, sequence }) => `${kind} ${name} ${sequence}`}
          />
        )
      }
    </Answer>
  );
}
