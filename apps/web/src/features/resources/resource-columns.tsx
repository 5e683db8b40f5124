import { Link } from '@tanstack/react-router';
import { type Column, Time } from '../../ui/index.ts';
import { CertificateEnd } from './certificates/certificate-end.tsx';
import { shortType } from './collections.ts';
import { DOCUMENT_STATE_LOOKS, DocumentStateMark } from './document-state.tsx';
import type { DocumentRow } from './rows.ts';
import { texts } from './texts.tsx';

const text = texts.resourcesPage.columns;

interface ColumnContext {
  readonly project: string;
  readonly hasTypes: boolean;
  readonly openEarly: (row: DocumentRow) => void;
}

type DocumentColumn = Column<DocumentRow>;

/** The columns of a collection: first those of its kind, then those of all documents. */
export function makeColumns(collection: string, context: ColumnContext): readonly DocumentColumn[] {
  return [
    nameColumn(collection, context),
    STATE,
    ...(KIND_COLUMNS[collection] ?? []),
    ...(context.hasTypes ? [TYPE] : []),
    ...(collection === 'bootstrap' ? [] : [servicesColumn(context.project), USERS]),
    ...sharedColumns(collection),
  ];
}

/** Widths with which a list fits into a window of 1280 px, and its names are shown in full up to about 25 characters. */
const NAME_MIN_PX: Readonly<Record<string, number>> = { listeners: 220, secrets: 180 };

function nameColumn(collection: string, { project, openEarly }: ColumnContext): DocumentColumn {
  return {
    id: 'name',
    isOpening: true,
    header: text.name,
    sort: 'name',
    width: '3fr',
    minWidth: NAME_MIN_PX[collection] ?? 240,
    isNarrow: true,
    text: (row) => row.name,
    cell: (row) => (
      <Link
        to="/p/$project/resources/$collection/$version/$name"
        params={{ project, collection: row.collection, version: row.version, name: row.name }}
        className="mono"
        title={row.name}
        onPointerEnter={() => openEarly(row)}
        onFocus={() => openEarly(row)}
      >
        <bdi>{row.name}</bdi>
      </Link>
    ),
  };
}

const STATE: DocumentColumn = {
  id: 'state',
  header: text.state,
  width: 118,
  isNarrow: true,
  text: ({ state }) => DOCUMENT_STATE_LOOKS[state].word,
  cell: ({ state }) => <DocumentStateMark state={state} />,
};

const ADDRESS: DocumentColumn = {
  id: 'address',
  header: text.address,
  width: '2fr',
  minWidth: 160,
  text: ({ facts }) => facts.address,
  cell: ({ facts }) => (
    <>
      <bdi className="mono" title={facts.address}>
        {facts.address}
      </bdi>
      {facts.more_addresses ? ` ${text.moreAddresses(facts.more_addresses)}` : null}
      {facts.tls && ` ${text.tls}`}
    </>
  ),
};

const DOMAINS: DocumentColumn = {
  id: 'domains',
  header: text.domains,
  width: '3fr',
  minWidth: 130,
  text: ({ facts }) => facts.domains?.join(' '),
  cell: ({ facts: { domains = [], domains_total: total = 0 } }) => (
    <bdi title={domains.join(', ')}>
      {domains.join(', ')}
      {total > domains.length && text.moreDomains(total - domains.length)}
    </bdi>
  ),
};

const ROUTES: DocumentColumn = {
  id: 'routes',
  header: text.routes,
  width: 74,
  align: 'right',
  text: ({ facts }) => facts.routes,
  cell: ({ facts }) => facts.routes,
};

const DISCOVERY: DocumentColumn = {
  id: 'discovery',
  header: text.discovery,
  width: 120,
  fromPx: 1440,
  text: ({ facts }) => facts.discovery,
  cell: ({ facts }) => <bdi title={facts.discovery}>{facts.discovery}</bdi>,
};

const ENDPOINTS: DocumentColumn = {
  id: 'endpoints',
  header: text.endpoints,
  width: 90,
  align: 'right',
  text: ({ facts }) => facts.endpoints,
  cell: ({ facts }) => facts.endpoints,
};

const CONTENT: DocumentColumn = {
  id: 'content',
  header: text.content,
  width: 128,
  text: ({ facts }) => facts.content,
  cell: ({ facts }) => facts.content?.replaceAll('_', ' '),
};

const CERTIFICATE: DocumentColumn = {
  id: 'certificate_ends_at',
  header: text.certificate,
  sort: 'certificate_ends_at',
  // Wide enough for a word and a full date.
  width: 190,
  isNarrow: true,
  text: (row) => row.certificate_ends_at,
  cell: (row) => <CertificateEnd at={row.certificate_ends_at} />,
};

const KIND_COLUMNS: Readonly<Record<string, readonly DocumentColumn[]>> = {
  listeners: [ADDRESS],
  routes: [DOMAINS, ROUTES],
  virtual_hosts: [DOMAINS, ROUTES],
  clusters: [DISCOVERY, ADDRESS, ENDPOINTS],
  endpoints: [ADDRESS, ENDPOINTS],
  secrets: [CONTENT, CERTIFICATE],
};

const TYPE: DocumentColumn = {
  id: 'type',
  header: text.type,
  width: '2fr',
  minWidth: 120,
  text: (row) => row.type,
  cell: (row) => <span title={row.type}>{shortType(row.type)}</span>,
};

function servicesColumn(project: string): DocumentColumn {
  return {
    id: 'services',
    header: text.service,
    width: '2fr',
    minWidth: 90,
    text: ({ services }) => services.map(({ name }) => name).join(' '),
    cell: ({ services: [first], services_total: total }) =>
      first && (
        <>
          <Link to="/p/$project/services/$serviceId" params={{ project, serviceId: first.id }}>
            <bdi>{first.name}</bdi>
          </Link>
          {total > 1 && ` ${text.moreServices(total - 1)}`}
        </>
      ),
  };
}

const USERS: DocumentColumn = {
  id: 'users',
  header: text.users,
  width: 74,
  align: 'right',
  text: (row) => row.users,
  cell: (row) => row.users,
};

const FEW_COLUMNS: readonly string[] = ['listeners', 'filters', 'extensions', 'bootstrap'];

function sharedColumns(collection: string): readonly DocumentColumn[] {
  return [
    {
      id: 'version',
      header: text.version,
      sort: 'version',
      width: 78,
      text: (row) => row.version,
      cell: (row) => row.version,
    },
    {
      id: 'description',
      header: text.description,
      width: '3fr',
      isOptional: collection !== 'bootstrap',
      text: (row) => row.description,
      cell: (row) => <bdi title={row.description ?? undefined}>{row.description}</bdi>,
    },
    {
      id: 'labels',
      header: text.labels,
      width: '2fr',
      isOptional: true,
      text: formatLabels,
      cell: (row) => <bdi title={formatLabels(row)}>{formatLabels(row)}</bdi>,
    },
    {
      id: 'revision',
      header: text.revision,
      width: 84,
      align: 'right',
      isOptional: true,
      text: (row) => row.revision,
      cell: (row) => row.revision,
    },
    {
      id: 'updated_at',
      header: text.changed,
      sort: 'updated_at',
      width: 110,
      text: (row) => row.updated_at,
      cell: (row) => <Time at={row.updated_at} />,
    },
    {
      id: 'updated_by',
      header: text.by,
      width: 110,
      fromPx: FEW_COLUMNS.includes(collection) ? 1200 : 1600,
      text: (row) => row.updated_by,
      cell: (row) => <bdi title={row.updated_by}>{row.updated_by}</bdi>,
    },
  ];
}

function formatLabels(row: DocumentRow): string {
  return Object.entries(row.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}
