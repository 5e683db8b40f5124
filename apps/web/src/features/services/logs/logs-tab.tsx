import { Button, NumberInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Loaded, Notice, Time } from '../../../ui/index.ts';
import { downloadText } from '../../../ui/table/csv.ts';
import { NodeSelect, useChosenNode } from '../node-select.tsx';
import classes from '../service.module.css';
import type { ServiceDetail, ServiceNode } from '../types.ts';
import { filterLines, type LogSource, readLogs } from './log-lines.ts';
import styles from './logs.module.css';
import { texts } from './texts.ts';

const text = texts.logsTab;

const LINES_DEFAULT = 200;
const LINES_MAX = 5000;
const FOLLOW_EVERY_MS = 5000;
const OLD_MS = 1000;
const SOURCES = [
  { value: 'envoy', label: text.sources.envoy },
  { value: 'shield', label: text.sources.shield },
];

/** Shows the last lines of a program on one client (`?at=&log=&lines=&grep=&follow=&wrap=`). */
export function LogsTab({ detail: { service, nodes } }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const { deployed, node } = useChosenNode(nodes);
  const lines = Math.min(LINES_MAX, Math.max(1, Number(url.get('lines')) || LINES_DEFAULT));
  const isFollowing = url.get('follow') !== undefined;
  const [isWrapped, setWrapped] = useWrapped();
  const query = useLog(service.id, { node, lines, isFollowing });
  if (!node) return <Empty title={text.tab.emptyTitle}>{text.tab.empty}</Empty>;
  const source: LogSource = url.get('log') === 'shield' ? 'shield' : 'envoy';
  return (
    <div className={`${classes.stack} ${classes.tight}`}>
      <div className={classes.bar} role="group" aria-label={text.tab.whichLogs}>
        <WhichLog deployed={deployed} node={node} source={source} lines={lines} />
        <Switch
          size="xs"
          label={text.tab.follow}
          checked={isFollowing}
          onChange={(event) => url.set({ follow: event.currentTarget.checked ? '1' : undefined })}
        />
        <Switch
          size="xs"
          label={text.tab.wrap}
          checked={isWrapped}
          onChange={(event) => setWrapped(event.currentTarget.checked)}
        />
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} />}
          loading={query.isFetching && !isFollowing}
          disabled={!node.connected}
          onClick={() => void query.refetch()}
        >
          {text.tab.refresh}
        </Button>
      </div>
      {node.connected ? (
        <Loaded query={query} what={text.tab.what} skeleton={14}>
          {({ body }) => (
            <Answer
              result={body.results[0]}
              {...{ node, source, isFollowing, isWrapped, serviceName: service.name }}
              at={new Date(query.dataUpdatedAt).toISOString()}
            />
          )}
        </Loaded>
      ) : (
        <Notice tone="warn" title={text.tab.notConnected}>
          {text.tab.notConnectedText}
        </Notice>
      )}
    </div>
  );
}

interface AskedLog {
  readonly node: ServiceNode | undefined;
  readonly lines: number;
  readonly isFollowing: boolean;
}

function useLog(serviceId: string, { node, lines, isFollowing }: AskedLog) {
  const project = useProject();
  const query = useApi(
    routes.command.dispatch,
    {
      query: { project: project.id },
      body: {
        type: 'SERVICE',
        sub_type: 'SUB_LOGS',
        clients: [{ client_id: node?.client_id ?? '' }],
        command: { service_id: serviceId, count: lines },
      },
    },
    {
      enabled: node?.connected === true,
      // A hidden page does not poll.
      ...(isFollowing && node?.connected && { refetchEveryMs: () => FOLLOW_EVERY_MS }),
    },
  );
  const { refetch, dataUpdatedAt } = query;
  // A user who returns to a log expects its current lines.
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when another log is looked at
  useEffect(() => {
    if (dataUpdatedAt > 0 && Date.now() - dataUpdatedAt > OLD_MS) void refetch();
  }, [node?.client_id, lines]);
  return query;
}

interface WhichLogProps {
  readonly deployed: readonly ServiceNode[];
  readonly node: ServiceNode;
  readonly source: LogSource;
  readonly lines: number;
}

function WhichLog({ deployed, node, source, lines }: WhichLogProps) {
  const url = useUrlState();
  return (
    <>
      <NodeSelect deployed={deployed} node={node} />
      <SegmentedControl
        size="xs"
        aria-label={text.tab.program}
        data={SOURCES}
        value={source}
        onChange={(log) => url.set({ log: log === 'envoy' ? undefined : log })}
      />
      <NumberInput
        size="xs"
        aria-label={text.tab.lineCount}
        suffix=" lines"
        min={1}
        max={LINES_MAX}
        step={100}
        w={110}
        key={lines}
        defaultValue={lines}
        onBlur={(event) => {
          const count = Number.parseInt(event.currentTarget.value, 10);
          if (count > 0) url.set({ lines: count === LINES_DEFAULT ? undefined : String(count) });
        }}
      />
      <TextInput
        size="xs"
        type="search"
        aria-label={text.tab.filterLines}
        placeholder={text.tab.linesThatHold}
        leftSection={<IconSearch size={14} />}
        value={url.get('grep') ?? ''}
        onChange={(event) => url.set({ grep: event.currentTarget.value || undefined })}
      />
    </>
  );
}

/** Reads `?wrap=`: by default, lines wrap only on a phone. */
function useWrapped(): [isWrapped: boolean, set: (isWrapped: boolean) => void] {
  const url = useUrlState();
  const isPhone = useMediaQuery('(max-width: 40em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const asked = url.get('wrap');
  return [
    asked === undefined ? isPhone : asked === '1',
    (isWrapped) => url.set({ wrap: isWrapped === isPhone ? undefined : isWrapped ? '1' : '0' }),
  ];
}

interface AnswerProps {
  readonly result:
    | { readonly outcome: string; readonly error?: { message: string } | undefined; readonly result?: unknown }
    | undefined;
  readonly node: ServiceNode;
  readonly source: LogSource;
  readonly isFollowing: boolean;
  readonly isWrapped: boolean;
  readonly serviceName: string;
  readonly at: string;
}

function Answer({ result, node, source, isFollowing, isWrapped, serviceName, at }: AnswerProps) {
  const url = useUrlState();
  const box = useRef<HTMLPreElement>(null);
  const all = readLogs(result?.result, source);
  const shown = filterLines(all, url.get('grep') ?? '');
  const last = shown.at(-1)?.text;
  // The newest lines are at the end, so the log scrolls there at first and while the user follows it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the last line is another
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last, source, isFollowing]);
  if (result?.outcome !== 'done')
    return (
      <Notice tone="bad" title={text.answer.noLogs}>
        {result?.error?.message ?? text.answer.outcomeIs(result?.outcome ?? text.answer.unknownOutcome)}
      </Notice>
    );
  if (all.length === 0) return <Empty title={text.answer.nothingLogged}>{text.answer.whyNothingLogged}</Empty>;
  return (
    <>
      <pre
        ref={box}
        className={`${styles.log} ${isWrapped ? styles.wrap : ''}`}
        tabIndex={0}
        aria-label={text.answer.logOf(source)}
      >
        {shown.map((line) => (
          <div key={line.index} data-level={line.level}>
            {line.text}
          </div>
        ))}
      </pre>
      <div className={classes.bar}>
        <span className={classes.side} role="status">
          {shown.length === all.length ? text.answer.lines(all.length) : text.answer.linesOf(shown.length, all.length)}
          {isFollowing ? text.answer.following : text.answer.readAt}
          {!isFollowing && <Time at={at} />}
        </span>
        <span className={classes.grow} />
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() =>
            downloadText(`${serviceName}-${node.client_name}-${source}.log`, 'text/plain', `${all.join('\n')}\n`)
          }
        >
          {text.answer.download}
        </Button>
      </div>
    </>
  );
}
