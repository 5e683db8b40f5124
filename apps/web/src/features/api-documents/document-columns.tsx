import type { ApiDocument } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { type Column, Time } from '../../ui/index.ts';
import { describeScope } from './scope-text.ts';
import { texts } from './texts.ts';

const text = texts.list.columns;

export const DOCUMENT_COLUMNS: readonly Column<ApiDocument>[] = [
  {
    id: 'name',
    isOpening: true,
    header: text.name,
    sort: 'name',
    width: '1fr',
    minWidth: 120,
    isNarrow: true,
    cell: (row) => <DocumentLink id={row.id} name={row.name} />,
    text: ({ name }) => name,
  },
  {
    id: 'title',
    header: text.title,
    width: '1fr',
    minWidth: 120,
    cell: ({ version }) => <bdi title={version.title}>{version.title}</bdi>,
    text: ({ version }) => version.title,
  },
  {
    id: 'scope',
    header: text.scope,
    width: '2fr',
    minWidth: 140,
    cell: ({ scope }) => <bdi title={describeScope(scope)}>{describeScope(scope)}</bdi>,
    text: ({ scope }) => describeScope(scope),
  },
  {
    id: 'version',
    header: text.version,
    width: 90,
    align: 'right',
    cell: ({ version }) => version.number,
    text: ({ version }) => version.number,
  },
  {
    id: 'operations',
    header: text.operations,
    width: 100,
    align: 'right',
    isNarrow: true,
    cell: ({ version }) => version.operation_count.toLocaleString('en'),
    text: ({ version }) => version.operation_count,
  },
  {
    id: 'warnings',
    header: text.warnings,
    width: 100,
    align: 'right',
    fromPx: 1200,
    cell: ({ version }) => version.warnings.length.toLocaleString('en'),
    text: ({ version }) => version.warnings.length,
  },
  {
    id: 'imported',
    header: text.imported,
    sort: 'updated_at',
    width: 120,
    cell: ({ version }) => <Time at={version.imported_at} />,
    text: ({ version }) => version.imported_at,
  },
];

export function DocumentLink({ id, name }: { id: string; name: string }) {
  const project = useProject();
  return (
    <Link
      to="/p/$project/traffic/documents/$documentId"
      params={{ project: project.name, documentId: id }}
      title={name}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
