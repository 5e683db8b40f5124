import { PolicyLink, ServiceLink } from '../../app/links.tsx';
import { type Column, Digest, Time } from '../../ui/index.ts';
import type { PolicySummary } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.policyColumns;

export interface PolicyRow extends PolicySummary {
  /** Blocked requests in the last hour; undefined while unknown. */
  readonly blocked: number | undefined;
}

const NAMED_MAX = 2;

export const POLICY_COLUMNS: readonly Column<PolicyRow>[] = [
  {
    id: 'name',
    isOpening: true,
    header: text.columns.name,
    sort: 'name',
    width: '3fr',
    minWidth: 140,
    isNarrow: true,
    cell: (row) => <PolicyLink name={row.name} />,
    text: (row) => row.name,
  },
  {
    id: 'hosts',
    header: text.columns.hosts,
    width: '3fr',
    minWidth: 90,
    cell: (row) => (
      <bdi className="mono" title={row.hosts.join('\n')}>
        {row.hosts.join(', ') || 'none'}
      </bdi>
    ),
    text: (row) => row.hosts.join(' '),
  },
  {
    id: 'services',
    header: text.columns.usedBy,
    width: '2fr',
    minWidth: 90,
    cell: (row) => <UsedBy services={row.services} />,
    text: (row) => row.services?.map(({ name }) => name).join(' '),
  },
  {
    id: 'blocked',
    header: text.columns.blocked,
    width: 104,
    align: 'right',
    isNarrow: true,
    cell: (row) =>
      row.blocked === undefined ? '–' : row.blocked === 0 ? '0' : <strong>{row.blocked.toLocaleString()}</strong>,
    text: (row) => row.blocked,
  },
  {
    id: 'revision',
    header: text.columns.revision,
    width: 84,
    align: 'right',
    cell: (row) => row.revision,
    text: (row) => row.revision,
  },
  {
    id: 'digest',
    header: text.columns.digest,
    width: 150,
    isOptional: true,
    cell: (row) => <Digest digest={row.digest} />,
    text: (row) => row.digest,
  },
  {
    id: 'updated_at',
    header: text.columns.changed,
    sort: 'updated_at',
    width: 104,
    isNarrow: true,
    cell: (row) => <Time at={row.updated_at} />,
    text: (row) => row.updated_at,
  },
  {
    id: 'updated_by',
    header: text.columns.changedBy,
    width: 120,
    cell: (row) => <bdi title={row.updated_by}>{row.updated_by}</bdi>,
    text: (row) => row.updated_by,
  },
  {
    id: 'description',
    header: text.columns.description,
    width: '3fr',
    minWidth: 120,
    isOptional: true,
    cell: (row) => <bdi title={row.description ?? undefined}>{row.description ?? '–'}</bdi>,
    text: (row) => row.description,
  },
  {
    id: 'created_at',
    header: text.columns.created,
    sort: 'created_at',
    width: 104,
    isOptional: true,
    cell: (row) => <Time at={row.created_at} />,
    text: (row) => row.created_at,
  },
];

function UsedBy({ services }: { services: PolicySummary['services'] }) {
  if (services === undefined) return '–';
  if (services.length === 0) return <span title={text.usedBy.whyNone}>{text.usedBy.none}</span>;
  return (
    <span title={services.map(({ name }) => name).join('\n')}>
      {services.slice(0, NAMED_MAX).map((service, index) => (
        <span key={service.id}>
          {index > 0 && ', '}
          <ServiceLink id={service.id} name={service.name} />
        </span>
      ))}
      {services.length > NAMED_MAX && ` +${services.length - NAMED_MAX}`}
    </span>
  );
}
