import type { FindingEntry, FindingView } from '@flotilla/contract';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Problem, Section, Time, useSending, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.tsx';

const text = texts.history;

/** Lists the changes of a finding and the comments on it, newest first. */
export function HistoryPart({ findingId }: { findingId: string }) {
  const project = useProject();
  const mayWrite = useCan()(routes.finding.comment);
  const list = useApiList<FindingEntry>(
    routes.finding.history,
    { params: { finding_id: findingId }, query: { project: project.id } },
    { topics: ['finding'] },
  );
  return (
    <Section title={texts.page.history}>
      <Stack gap="md">
        {mayWrite && <CommentForm findingId={findingId} />}
        <Loaded query={list.query} what={text.what}>
          {() => (
            <>
              {list.rows.length === 0 && <p className={layout.note}>{text.none}</p>}
              <ul className={lines.rows} aria-label={texts.page.history} hidden={list.rows.length === 0}>
                {list.rows.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ul>
              {list.query.hasNextPage && (
                <div>
                  <Button variant="default" loading={list.query.isFetchingNextPage} onClick={list.loadMore}>
                    {text.more}
                  </Button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </Section>
  );
}

function Entry({ entry }: { entry: FindingEntry }) {
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi>{describe(entry)}</bdi>
        {entry.kind !== 'comment' && entry.note !== null && (
          <span className={lines.hint}>
            <bdi>{entry.note}</bdi>
          </span>
        )}
      </span>
      <span className={lines.dim}>
        <bdi>{entry.by ?? text.traffic}</bdi> <Time at={entry.at} />
      </span>
    </li>
  );
}

function describe({ kind, from, to, note }: FindingEntry): string {
  switch (kind) {
    case 'opened':
      return text.opened;
    case 'state':
      return text.state(nameState(from), nameState(to));
    case 'owner':
      return text.owner(from ?? texts.nobody, to ?? texts.nobody);
    case 'moved':
      return text.moved;
    case 'comment':
      return note ?? '';
  }
}

function nameState(state: string | null): string {
  return state !== null && Object.hasOwn(texts.states, state) ? texts.states[state as FindingView['state']] : '';
}

function CommentForm({ findingId }: { findingId: string }) {
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const [comment, setComment] = useState('');
  const send = async () => {
    const isDone = await sending.send(() =>
      write(
        routes.finding.comment,
        { params: { finding_id: findingId }, query: { project: project.id }, body: { text: comment.trim() } },
        { stale: [routes.finding.history] },
      ),
    );
    if (isDone) setComment('');
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={text.comment}
        maxLength={2000}
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
      <Group>
        <Button variant="default" loading={sending.isBusy} disabled={comment.trim() === ''} onClick={() => void send()}>
          {text.add}
        </Button>
      </Group>
    </Stack>
  );
}
