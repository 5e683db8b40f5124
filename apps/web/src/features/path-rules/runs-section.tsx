import type { InventoryRewrite } from '@flotilla/contract';
import { Button, Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import {
  Empty,
  Loaded,
  type PlainColumn,
  PlainTable,
  Problem,
  Section,
  State,
  Time,
  useSending,
  useWrite,
} from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.tsx';

const text = texts.runs;
const TOPICS = ['inventory', 'job'] as const;

/** The last runs of the job that renames stored endpoints. */
export function RunsSection() {
  const project = useProject();
  const query = useApi(routes.pathRule.rewrites, { query: { project: project.id } }, { topics: TOPICS });
  return (
    <Section title={text.title}>
      <Stack gap="sm">
        <p className={layout.note}>{text.text}</p>
        <StartButtons />
        <Loaded query={query} what={text.what}>
          {({ body: { items } }) =>
            items.length === 0 ? (
              <Empty title={text.none}>{text.noneText}</Empty>
            ) : (
              <PlainTable name={text.list} rows={items} columns={COLUMNS} rowId={({ job }) => job.id} />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

function StartButtons() {
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const sending = useSending();
  if (!can(routes.pathRule.rewrite)) return null;
  const start = (apply: boolean) =>
    sending.send(() =>
      write(
        routes.pathRule.rewrite,
        { query: { project: project.id }, body: { apply } },
        { done: ({ job }) => text.started(job.number), stale: [routes.pathRule.rewrites] },
      ),
    );
  return (
    <>
      <Group gap="xs">
        <Button variant="default" loading={sending.isBusy} onClick={() => void start(true)}>
          {text.start}
        </Button>
        <Button variant="default" loading={sending.isBusy} onClick={() => void start(false)}>
          {text.plan}
        </Button>
      </Group>
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
    </>
  );
}

function JobLink({ job }: Pick<InventoryRewrite, 'job'>) {
  const project = useProject();
  return (
    <Link to="/p/$project/jobs/$jobId" params={{ project: project.name, jobId: job.id }}>
      {text.job(job.number)}
    </Link>
  );
}

function RunState({ applies, ended_at: end }: InventoryRewrite) {
  if (end === null) return <State word={text.running} tone="busy" shape="half" />;
  return <State word={applies ? text.ended : text.planned} tone="good" shape="full" />;
}

const number = (value: number) => value.toLocaleString('en');

const COLUMNS: readonly PlainColumn<InventoryRewrite>[] = [
  {
    id: 'job',
    header: text.when,
    isNarrow: true,
    cell: ({ job, started_at: at }) => (
      <>
        <JobLink job={job} /> <Time at={at} />
      </>
    ),
  },
  { id: 'state', header: text.state, isNarrow: true, cell: (run) => <RunState {...run} /> },
  { id: 'scanned', header: text.scanned, align: 'right', cell: ({ scanned }) => number(scanned) },
  { id: 'moved', header: text.moved, align: 'right', isNarrow: true, cell: ({ moved }) => number(moved) },
  { id: 'merged', header: text.merged, align: 'right', cell: ({ merged }) => number(merged) },
  { id: 'split', header: text.split, align: 'right', cell: ({ split }) => number(split) },
];
