import type { ApiTeam } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Empty, Loaded, type PlainColumn, PlainTable } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { OperationLink } from '../inventory/index.ts';
import { texts } from './texts.ts';

const text = texts.teams;
const number = (value: number) => value.toLocaleString('en');

const COLUMNS: readonly PlainColumn<ApiTeam>[] = [
  { id: 'team', header: text.team, isNarrow: true, cell: ({ team }) => <TeamLink team={team} /> },
  {
    id: 'endpoints',
    header: text.endpoints,
    align: 'right',
    isNarrow: true,
    cell: ({ operation_count: all }) => number(all),
  },
  {
    id: 'risk',
    header: text.risk,
    align: 'right',
    isNarrow: true,
    cell: ({ risk }) => number(risk.critical + risk.high),
  },
  {
    id: 'writes',
    header: text.writes,
    align: 'right',
    cell: ({ unauthenticated_writes: writes }) => number(writes),
  },
  { id: 'personal', header: text.personal, align: 'right', cell: ({ personal_data: data }) => number(data) },
  { id: 'owner', header: text.owner, align: 'right', cell: ({ without_owner: none }) => number(none) },
  { id: 'riskiest', header: text.riskiest, cell: ({ riskiest }) => <Riskiest operation={riskiest[0]} /> },
];

/** Every team with its risks, and what has no team. */
export function TeamsTab() {
  const project = useProject();
  const query = useApi(routes.apiOwner.teams, { query: { project: project.id } }, { topics: ['inventory'] });
  return (
    <Loaded query={query} what={text.what}>
      {({ body }) =>
        body.items.length === 0 ? (
          <Empty title={text.empty.title}>{text.empty.text}</Empty>
        ) : (
          <div className={layout.stack}>
            <p className={layout.note}>{text.all(body.operation_count)}</p>
            <PlainTable name={text.name} rows={body.items} columns={COLUMNS} rowId={({ team }) => `team ${team}`} />
          </div>
        )
      }
    </Loaded>
  );
}

function TeamLink({ team }: { team: string }) {
  const project = useProject();
  const name = team === '' ? texts.noTeam : team;
  return (
    <Link
      to="/p/$project/traffic/teams"
      params={{ project: project.name }}
      search={{ tab: 'endpoints', ...(team !== '' && { team }) }}
      title={text.show(name)}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

function Riskiest({ operation }: { operation: ApiTeam['riskiest'][number] | undefined }) {
  if (operation === undefined) return texts.none;
  const { operation_id: id, method, host, path } = operation;
  return <OperationLink of={{ id, method, host, normalized_path: path, operation: '' }} isPathFirst />;
}
