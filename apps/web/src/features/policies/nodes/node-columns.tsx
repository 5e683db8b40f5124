import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { type Column, Digest, State, Time } from '../../../ui/index.ts';
import type { PolicyNode } from '../model.ts';
import { deriveNodeState } from './node-state.ts';
import { texts } from './texts.tsx';

const text = texts.nodeColumns;

export const NODE_COLUMNS: readonly Column<PolicyNode>[] = [
  {
    id: 'service',
    header: text.service,
    width: '2fr',
    minWidth: 90,
    isNarrow: true,
    cell: (row) => <ServiceLink id={row.service_id} name={row.service_name} />,
    text: (row) => row.service_name,
  },
  {
    id: 'client',
    header: text.client,
    width: '2fr',
    minWidth: 90,
    isNarrow: true,
    cell: (row) => <ClientLink id={row.client_id} name={row.client_name} />,
    text: (row) => row.client_name,
  },
  {
    id: 'state',
    header: text.state,
    width: 100,
    isNarrow: true,
    cell: (row) => <State {...deriveNodeState(row)} />,
    text: (row) => deriveNodeState(row).word,
  },
  {
    id: 'revision',
    header: text.revision,
    width: 76,
    align: 'right',
    cell: (row) => row.live_revision ?? '–',
    text: (row) => row.live_revision,
  },
  {
    id: 'live',
    header: text.liveDigest,
    width: 142,
    cell: (row) => (row.live_digest ? <Digest digest={row.live_digest} what={text.liveDigestName} /> : 'none'),
    text: (row) => row.live_digest,
  },
  {
    id: 'wanted',
    header: text.wantedDigest,
    width: 142,
    cell: (row) => <Digest digest={row.wanted_digest} what={text.wantedDigestName} />,
    text: (row) => row.wanted_digest,
  },
  {
    id: 'filter',
    header: text.shield,
    width: 98,
    cell: (row) => <State word={row.shield_running ? text.running : text.stopped} />,
    text: (row) => (row.shield_running ? 'running' : 'stopped'),
  },
  {
    id: 'error',
    header: text.error,
    width: '2fr',
    minWidth: 70,
    cell: (row) => (row.policy_error ? <bdi title={row.policy_error}>{row.policy_error}</bdi> : '–'),
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
