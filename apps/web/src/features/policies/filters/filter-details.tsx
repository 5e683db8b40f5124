import type { ShieldNode } from '@flotilla/contract';
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { ClientLink, ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import {
  Digest,
  Empty,
  Facts,
  Loaded,
  Notice,
  type PlainColumn,
  PlainTable,
  Section,
  State,
} from '../../../ui/index.ts';
import { type FilterConfig, type FilterStatus, readFilterConfig, readFilterStatus } from './filter-answers.ts';
import { stateOf } from './filter-columns.tsx';
import { texts } from './texts.ts';

const text = texts.drawer;

interface FilterDetailsProps {
  readonly node: ShieldNode | undefined;
  readonly isLoading: boolean;
}

/** One filter: what it last reported, and what its client answers now. */
export function FilterDetails({ node, isLoading }: FilterDetailsProps) {
  if (!node) return isLoading ? null : <Empty title={text.notListed}>{text.whyNotListed}</Empty>;
  return (
    <Stack gap={18}>
      <Facts
        facts={[
          [texts.columns.state, <State key="state" {...stateOf(node)} />],
          [text.service, <ServiceLink key="service" id={node.service_id} name={node.service_name} />],
          [text.client, <ClientLink key="client" id={node.client_id} name={node.client_name} />],
          [text.digest, node.live_digest && <Digest key="live" digest={node.live_digest} what={text.digest} />],
          [text.wanted, <Digest key="wanted" digest={node.wanted_digest} what={text.wanted} />],
          [text.problem, node.policy_error ?? undefined],
        ]}
      />
      {node.connected ? (
        <>
          <Section title={text.files}>
            <Asked node={node} subType="GET_SHIELD_CONFIG" what={text.whatFiles} read={readFilterConfig}>
              {(config) => <Files config={config} />}
            </Asked>
          </Section>
          <Section title={text.log}>
            <Asked node={node} subType="GET_SHIELD_STATUS" what={text.whatLog} read={readFilterStatus}>
              {(status) => <Log status={status} />}
            </Asked>
          </Section>
        </>
      ) : (
        <Notice tone="warn" title={text.offline}>
          {text.offlineText}
        </Notice>
      )}
    </Stack>
  );
}

interface AskedProps<T> {
  readonly node: ShieldNode;
  readonly subType: string;
  /** Subject of error messages. */
  readonly what: string;
  readonly read: (result: unknown) => T | undefined;
  readonly children: (value: T) => ReactNode;
}

/** Shows what the client answers to a SHIELD command about the service. */
function Asked<T>({ node, subType, what, read, children }: AskedProps<T>) {
  const project = useProject();
  const query = useApi(routes.command.dispatch, {
    query: { project: project.id },
    body: {
      type: 'SHIELD',
      sub_type: subType,
      clients: [{ client_id: node.client_id }],
      command: { service_id: node.service_id },
    },
  });
  return (
    <Loaded query={query} what={what} skeleton={4}>
      {({ body: { results } }) => {
        const [answer] = results;
        if (answer?.outcome !== 'done')
          return (
            <Notice tone="bad" title={text.failed}>
              {answer?.error?.message}
            </Notice>
          );
        const value = read(answer.result);
        return value === undefined ? <Notice tone="warn" title={text.unknownForm} /> : children(value);
      }}
    </Loaded>
  );
}

const FILE_COLUMNS: readonly PlainColumn<FilterConfig['files'][number]>[] = [
  { id: 'path', header: text.path, isNarrow: true, cell: ({ path }) => <bdi className="mono">{path}</bdi> },
  { id: 'bytes', header: text.bytes, align: 'right', cell: ({ bytes }) => bytes.toLocaleString('en') },
  {
    id: 'sha256',
    header: text.sha256,
    isNarrow: true,
    cell: ({ sha256 }) => <Digest digest={sha256} what={text.sha256} />,
  },
];

function Files({ config: { files, total } }: { config: FilterConfig }) {
  if (files.length === 0) return <p>{text.noFiles}</p>;
  return (
    <>
      <PlainTable name={text.filesList} rows={files} columns={FILE_COLUMNS} rowId={({ path }) => path} />
      {total > files.length && <p>{text.moreFiles(total - files.length)}</p>}
    </>
  );
}

function Log({ status: { processes, logs } }: { status: FilterStatus }) {
  return (
    <>
      {processes.length > 0 && <p>{processes.map(({ role, pid }) => text.process(role, pid)).join('; ')}</p>}
      {logs.length === 0 ? (
        <p>{text.noLog}</p>
      ) : (
        <pre className="mono" tabIndex={0} style={{ overflow: 'auto', maxHeight: 320 }}>
          {logs.join('\n')}
        </pre>
      )}
    </>
  );
}
