import type { RiskSummary } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Empty, Hint, Loaded, type PlainColumn, PlainTable, Section, State } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { PartsBar } from '../charts/parts-bar.tsx';
import { DiscoveryHint } from '../discovery-hint.tsx';
import classes from '../inventory.module.css';
import { SEVERITY_LOOKS } from '../looks.ts';
import { texts as shared } from '../texts.tsx';
import { type FlagCatalogue, useRiskFlags } from '../use-inventory.ts';
import { texts } from './texts.tsx';

const text = texts.flags;

/** Parts of one bar need different colours; their names are in the legend. */
const SEVERITY_TONES = { critical: 'bad', high: 'warn', medium: 'busy', low: 'quiet', info: 'good' } as const;

type Row = RiskSummary['by_flag'][number];

/** How many endpoints each flag has. The numbers lead to them. */
export function FlagsTab() {
  const project = useProject();
  const catalogue = useRiskFlags();
  const query = useApi(routes.inventory.riskSummary, { query: { project: project.id } }, { topics: ['inventory'] });
  const columns = useMemo(() => listColumns(catalogue), [catalogue]);
  return (
    <Loaded query={query} what={text.what} skeleton={10}>
      {({ body }) =>
        body.by_flag.length === 0 ? (
          <DiscoveryHint otherwise={<Empty title={text.none}>{text.noneText}</Empty>} />
        ) : (
          <div className={layout.stack}>
            <p className={classes.dim}>{text.summary(body.active_flagged_operations, body.total_operations)}</p>
            <Section title={text.severities}>
              <PartsBar
                name={text.severities}
                parts={body.by_severity.map(({ severity, active_operations: count }) => ({
                  name: SEVERITY_LOOKS[severity].word,
                  count,
                  tone: SEVERITY_TONES[severity],
                }))}
              />
            </Section>
            <PlainTable name={text.list} rows={body.by_flag} columns={columns} rowId={({ flag }) => flag} />
          </div>
        )
      }
    </Loaded>
  );
}

function listColumns(catalogue: FlagCatalogue): readonly PlainColumn<Row>[] {
  return [
    {
      id: 'flag',
      header: text.flag,
      isNarrow: true,
      cell: ({ flag }) => (
        <Hint label={() => catalogue.find(flag)?.what ?? flag}>
          {(target) => (
            <span {...target} tabIndex={-1}>
              {catalogue.titleOf(flag)}
            </span>
          )}
        </Hint>
      ),
    },
    {
      id: 'severity',
      header: text.severity,
      isNarrow: true,
      cell: (row) => <State {...SEVERITY_LOOKS[row.severity]} />,
    },
    { id: 'axis', header: text.axis, cell: ({ axis }) => shared.axes[axis] },
    { id: 'class', header: text.class, cell: (row) => shared.classes[row.class] },
    {
      id: 'remedy',
      header: text.remedy,
      cell: ({ flag }) => shared.remedies[catalogue.find(flag)?.remedy ?? 'none'],
    },
    {
      id: 'active',
      header: text.active,
      align: 'right',
      isNarrow: true,
      cell: (row) => <EndpointsOf row={row} isActive title={catalogue.titleOf(row.flag)} />,
    },
    {
      id: 'ever',
      header: text.ever,
      align: 'right',
      cell: (row) => <EndpointsOf row={row} isActive={false} title={catalogue.titleOf(row.flag)} />,
    },
  ];
}

function EndpointsOf({ row, isActive, title }: { row: Row; isActive: boolean; title: string }) {
  const project = useProject();
  const number = isActive ? row.active_operations : row.operations;
  if (number === 0) return '0';
  return (
    <Link
      to="/p/$project/traffic/endpoints"
      params={{ project: project.name }}
      search={{ risk_flag: row.flag, ...(isActive && { active: 'true' }) }}
      aria-label={`${text.show(title)}: ${number}`}
    >
      {number.toLocaleString('en')}
    </Link>
  );
}
