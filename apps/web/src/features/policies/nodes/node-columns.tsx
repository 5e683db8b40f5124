import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { type Column, State, Time } from '../../../ui/index.ts';
import { Digest } from '../digest.tsx';
import type { PolicyNode } from '../model.ts';
import { standingOf } from './node-state.ts';

export const NODE_COLUMNS: readonly Column<PolicyNode>[] = [
  {
    id: 'service',
    header: 'Service',
    width: '2fr',
    minWidth: 90,
    isNarrow: true,
    cell: (row) => <ServiceLink id={row.service_id} name={row.service_name} />,
    text: (row) => row.service_name,
  },
  {
    id: 'client',
    header: 'Client',
    width: '2fr',
    minWidth: 90,
    isNarrow: true,
    cell: (row) => <ClientLink id={row.client_id} name={row.client_name} />,
    text: (row) => row.client_name,
  },
  {
    id: 'state',
    header: 'State',
    width: 100,
    isNarrow: true,
    cell: (row) => <State {...standingOf(row)} />,
    text: (row) => standingOf(row).word,
  },
  {
    id: 'revision',
    header: 'Revision',
    width: 76,
    align: 'right',
    cell: (row) => row.live_revision ?? '–',
    text: (row) => row.live_revision,
  },
  {
    id: 'live',
    header: 'Live digest',
    width: 142,
    cell: (row) => (row.live_digest ? <Digest digest={row.live_digest} what="live digest" /> : 'none'),
    text: (row) => row.live_digest,
  },
  {
    id: 'wanted',
    header: 'Wanted digest',
    width: 142,
    cell: (row) => <Digest digest={row.wanted_digest} what="wanted digest" />,
    text: (row) => row.wanted_digest,
  },
  {
    id: 'filter',
    header: 'Filter',
    width: 98,
    cell: (row) => <State word={row.shield_running ? 'Running' : 'Stopped'} />,
    text: (row) => (row.shield_running ? 'running' : 'stopped'),
  },
  {
    id: 'error',
    header: 'Error',
    width: '2fr',
    minWidth: 70,
    cell: (row) => (row.policy_error ? <bdi title={row.policy_error}>{row.policy_error}</bdi> : '–'),
    text: (row) => row.policy_error,
  },
  {
    id: 'reported',
    header: 'Reported',
    width: 94,
    cell: (row) => <Time at={row.reported_at} />,
    text: (row) => row.reported_at,
  },
];
