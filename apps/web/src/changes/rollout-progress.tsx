import type { CallInput, Rollout, RolloutNode, rolloutRoutes } from '@flotilla/contract';
import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { routes, useApi } from '../api/index.ts';
import { ServiceLink } from '../app/links.tsx';
import { useProject } from '../app/project.tsx';
import { Problem, State, Time, type Tone, toWord } from '../ui/index.ts';
import classes from './rollout-progress.module.css';
import { texts } from './texts.tsx';

const text = texts.rolloutProgress;

type Asked = NonNullable<CallInput<typeof rolloutRoutes.read>['query']>;

export interface RolloutProgressProps {
  readonly collection: Asked['collection'];
  readonly name: string;
  /** Set for documents. */
  readonly version?: string;
  readonly revision: number;
  /** Shown beside the outcome if a node refused the change: an action that reverts it. */
  readonly wayBack?: ReactNode;
  readonly onClose?: () => void;
}

const ASK_EVERY_MS = 1000;
const NODES_SHOWN_MAX = 100;

/** Shows the progress of a change until every node runs it or one has refused it. */
export function RolloutProgress({ collection, name, version, revision, wayBack, onClose }: RolloutProgressProps) {
  const project = useProject();
  const query = { project: project.id, collection, name, revision, ...(version && { version }) };
  const asked = useApi(
    routes.rollout.read,
    { query },
    {
      topics: ['node', 'client'],
      // Not every role gets node events, and generating a snapshot emits none.
      refetchEveryMs: (rollout) => (rollout?.settled ? false : ASK_EVERY_MS),
    },
  );
  if (asked.isError && !asked.data) return <Problem error={asked.error} what={text.progress.failed} />;
  const rollout = asked.data?.body;
  return (
    <section className={classes.progress} aria-label={text.progress.title} aria-live="polite">
      <div className={classes.head}>
        {rollout ? <Outcome rollout={rollout} /> : <State word={text.progress.asking} tone="busy" shape="arc" />}
        <span className={classes.grow} />
        {rollout?.state === 'refused' && wayBack}
        {onClose && <CloseButton aria-label={text.progress.hide} onClick={onClose} />}
      </div>
      {rollout && rollout.counts.total > 0 && <Bar rollout={rollout} />}
      {rollout && rollout.state !== 'unreached' && (
        <ul className={classes.nodes}>
          {rollout.nodes.slice(0, NODES_SHOWN_MAX).map((node) => (
            <NodeLine key={node.node_id} node={node} />
          ))}
        </ul>
      )}
    </section>
  );
}

const OUTCOMES: Readonly<Record<Rollout['state'], { tone: Tone; word: string }>> = {
  waiting: { tone: 'busy', word: text.outcomes.waiting },
  in_progress: { tone: 'busy', word: text.outcomes.rollingOut },
  live: { tone: 'good', word: text.outcomes.live },
  refused: { tone: 'bad', word: text.outcomes.refused },
  unreached: { tone: 'quiet', word: text.outcomes.stored },
};

function Outcome({ rollout }: { rollout: Rollout }) {
  const { tone, word } = OUTCOMES[rollout.state];
  const { total, warmed, refused, held, offline } = rollout.counts;
  const isMoving = rollout.state === 'in_progress' || rollout.state === 'waiting';
  return (
    <>
      <strong>
        <State
          word={rollout.state === 'in_progress' ? text.outcome.rollingOut(warmed, total) : word}
          tone={tone}
          shape={isMoving ? 'arc' : rollout.state === 'refused' ? 'triangle' : 'full'}
        />
      </strong>
      <span>
        {text.outcome.revision(rollout.revision)}
        {rollout.superseded && text.outcome.followedBy(rollout.current_revision)}
        {rollout.state === 'unreached' && text.outcome.unreached}
        {rollout.state === 'live' && text.outcome.live(total)}
        {rollout.state === 'refused' && text.outcome.refusedBy(refused + held, total)}
        {offline > 0 && text.outcome.offline(offline)}
      </span>
    </>
  );
}

function Bar({ rollout: { counts } }: { rollout: Rollout }) {
  const share = (count: number) => `${(100 * count) / counts.total}%`;
  return (
    <div className={classes.bar} aria-hidden="true">
      <div className={classes.done} style={{ width: share(counts.warmed) }} />
      <div className={classes.bad} style={{ width: share(counts.refused + counts.held) }} />
    </div>
  );
}

function NodeLine({ node }: { node: RolloutNode }) {
  return (
    <li className={classes.node}>
      <State word={toWord(node.state)} why={node.since ? <Time at={node.since} /> : undefined} />
      <bdi>
        {text.nodeLine.node(
          <ServiceLink id={node.service.id} tab="nodes">
            {node.service.name}
          </ServiceLink>,
          node.client_name,
        )}
      </bdi>
      <span className={classes.reason}>{node.reason}</span>
    </li>
  );
}
