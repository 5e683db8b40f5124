import type { FindingView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { type Column, State, Time } from '../../ui/index.ts';
import { nameOf, OperationLink, pathOf, SEVERITY_LOOKS } from '../inventory/index.ts';
import { EvidenceCell } from './evidence-meter.tsx';
import { STATE_LOOKS } from './finding-look.ts';
import classes from './findings.module.css';
import { texts } from './texts.tsx';

const text = texts.columns;

function FindingLink({ finding }: { finding: FindingView }) {
  const project = useProject();
  return (
    <>
      <Link to="/p/$project/traffic/findings/$findingId" params={{ project: project.name, findingId: finding.id }}>
        {finding.title}
      </Link>
      <span className={`mono ${classes.endpoint}`}>
        {finding.operation.method} <bdi>{pathOf(finding.operation)}</bdi> <bdi>{finding.operation.host}</bdi>
      </span>
    </>
  );
}

export const FINDING_COLUMNS: readonly Column<FindingView>[] = [
  {
    id: 'severity',
    header: text.severity,
    sort: 'severity',
    width: 104,
    isNarrow: true,
    cell: ({ severity }) => <State {...SEVERITY_LOOKS[severity]} />,
    text: ({ severity }) => severity,
  },
  {
    id: 'finding',
    isOpening: true,
    header: text.finding,
    width: '2fr',
    minWidth: 176,
    isNarrow: true,
    cell: (finding) => <FindingLink finding={finding} />,
    text: ({ title }) => title,
  },
  {
    id: 'endpoint',
    header: text.endpoint,
    sort: 'host',
    width: '3fr',
    minWidth: 170,
    cell: ({ operation }) => <OperationLink of={operation} isPathFirst />,
    text: ({ operation }) => nameOf(operation),
  },
  {
    id: 'state',
    header: text.state,
    width: 136,
    cell: ({ state }) => <State {...STATE_LOOKS[state]} />,
    text: ({ state }) => state,
  },
  {
    id: 'owner',
    header: text.owner,
    width: '1fr',
    minWidth: 96,
    cell: ({ owner }) => <bdi title={owner?.name}>{owner?.name}</bdi>,
    text: ({ owner }) => owner?.name,
  },
  {
    id: 'evidence',
    header: text.evidence,
    width: 150,
    cell: ({ evidence }) => <EvidenceCell evidence={evidence} />,
    text: ({ evidence }) => evidence?.requests,
    fromPx: 1200,
  },
  {
    id: 'last_seen',
    header: text.seen,
    sort: 'last_seen',
    width: 104,
    cell: ({ last_seen: at }) => <Time at={at} />,
    text: ({ last_seen: at }) => at,
  },
  {
    id: 'state_since',
    header: text.since,
    sort: 'state_since',
    width: 150,
    isOptional: true,
    cell: ({ state_since: at }) => <Time at={at} />,
    text: ({ state_since: at }) => at,
  },
  {
    id: 'first_seen',
    header: text.first,
    sort: 'first_seen',
    width: 104,
    isOptional: true,
    cell: ({ first_seen: at }) => <Time at={at} />,
    text: ({ first_seen: at }) => at,
  },
];
