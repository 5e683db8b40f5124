import type { ShieldNode } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { ClientLink } from '../../../app/links.tsx';
import { type Column, Digest, State, Time } from '../../../ui/index.ts';
import { deriveNodeState } from '../nodes/node-state.ts';
import { texts } from './texts.ts';

const text = texts.columns;

/** The state of the node with all policies of its service, whose revisions differ. */
export const stateOf = (row: ShieldNode) => deriveNodeState({ ...row, live_revision: null });

export const FILTER_COLUMNS: readonly Column<ShieldNode>[] = [
  {
    id: 'service',
    header: text.service,
    sort: 'service',
    width: '2fr',
    minWidth: 110,
    isNarrow: true,
    isOpening: true,
    cell: (row) => (
      <Link to="." search={(before: object) => ({ ...before, filter: row.node_id })} resetScroll={false}>
        <bdi>{row.service_name}</bdi>
      </Link>
    ),
    text: (row) => row.service_name,
  },
  {
    id: 'client',
    header: text.client,
    sort: 'client',
    width: '2fr',
    minWidth: 90,
    isNarrow: true,
    cell: (row) => <ClientLink id={row.client_id} name={row.client_name} />,
    text: (row) => row.client_name,
  },
  {
    id: 'state',
    header: text.state,
    width: 110,
    isNarrow: true,
    cell: (row) => <State {...stateOf(row)} />,
    text: (row) => stateOf(row).word,
  },
  {
    id: 'policies',
    header: text.policies,
    width: '2fr',
    minWidth: 110,
    cell: (row) => <bdi title={row.policies.join(', ')}>{row.policies.join(', ')}</bdi>,
    text: (row) => row.policies.join(', '),
  },
  {
    id: 'digest',
    header: text.digest,
    width: 142,
    cell: (row) => (row.live_digest ? <Digest digest={row.live_digest} what={text.digestName} /> : text.none),
    text: (row) => row.live_digest,
  },
  {
    id: 'error',
    header: text.error,
    width: '2fr',
    minWidth: 70,
    cell: (row) => (row.policy_error ? <bdi title={row.policy_error}>{row.policy_error}</bdi> : text.none),
    text: (row) => row.policy_error,
  },
  {
    id: 'reported',
    header: text.reported,
    width: 94,
    cell: (row) => <Time at={row.reported_at} />,
    text: (row) => row.reported_at,
  },
];
