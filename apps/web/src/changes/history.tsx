import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiList } from '../api/index.ts';
import { useUrlState } from '../app/url-state.ts';
import { Confirm, Problem, sayDone, Time } from '../ui/index.ts';
import classes from './history.module.css';
import { DiffView } from './lazy-editor.tsx';
import { texts } from './texts.tsx';

const text = texts.history;

export interface RevisionEntry {
  readonly revision: number;
  readonly created_at: string;
  readonly created_by: string;
}

export interface HistoryProps {
  /** Cache key of the history: `document clusters 1.39.3 a`. */
  readonly subject: string;
  readonly list: ApiList<RevisionEntry>;
  /** Loads the content of a revision as text. */
  readonly load: (revision: number, signal: AbortSignal) => Promise<string>;
  readonly language: 'json' | 'yaml';
  /**
   * Saves the revision again as the newest, and resolves with its new number, or the newest number if the content is
   * the same. undefined without permission.
   */
  readonly restore: ((revision: number) => Promise<number>) | undefined;
}

/** Lists who changed the record, when and how, and restores a revision. The chosen revision is in the URL. */
export function History({ subject, list, load, language, restore }: HistoryProps) {
  const url = useUrlState();
  const [isAsking, setAsking] = useState(false);
  const newest = list.rows[0]?.revision;
  const chosen = Number(url.get('revision')) || newest;
  const previous = list.rows.find(({ revision }) => chosen !== undefined && revision < chosen)?.revision;
  const against = url.get('against') === 'now' ? 'now' : 'previous';
  const { before, after } = against === 'now' ? { before: chosen, after: newest } : { before: previous, after: chosen };
  const left = useRevision(subject, before, load);
  const right = useRevision(subject, after, load);

  if (list.query.isError)
    return <Problem error={list.query.error} what={text.failed} onRetry={() => void list.query.refetch()} />;
  if (list.query.isPending) return <Skeleton height={240} aria-busy="true" />;
  return (
    <div className={classes.history}>
      <RevisionList list={list} chosen={chosen} newest={newest} />
      <div className={classes.detail}>
        <div className={classes.bar}>
          <Against against={against} canCompare={chosen !== newest} />
          {restore && chosen !== undefined && newest !== undefined && chosen < newest && (
            <Button variant="default" onClick={() => setAsking(true)}>
              {text.restore(chosen)}
            </Button>
          )}
        </div>
        {left.error || right.error ? (
          <Problem error={left.error ?? right.error} what={text.revisionNotLoaded} />
        ) : left.data === undefined || right.data === undefined ? (
          <Skeleton height={240} aria-busy="true" />
        ) : (
          <DiffView
            before={left.data}
            after={right.data}
            language={language}
            beforeLabel={before === undefined ? text.beforeNothing : text.before(before)}
            afterLabel={text.after(after ?? '')}
          />
        )}
      </div>
      {restore && chosen !== undefined && (
        <Confirm
          opened={isAsking}
          title={text.question(chosen)}
          action={text.action}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const made = await restore(chosen);
            sayDone(made === newest ? text.same(chosen) : text.done(chosen, made));
            url.set({ revision: undefined, against: undefined });
          }}
        >
          {text.confirm}
        </Confirm>
      )}
    </div>
  );
}

interface RevisionListProps {
  readonly list: ApiList<RevisionEntry>;
  readonly chosen: number | undefined;
  readonly newest: number | undefined;
}

function RevisionList({ list, chosen, newest }: RevisionListProps) {
  const url = useUrlState();
  return (
    <ol className={classes.list} aria-label={text.title}>
      {list.rows.map((entry) => (
        <li key={entry.revision}>
          <button
            type="button"
            className={classes.entry}
            aria-current={entry.revision === chosen}
            onClick={() => url.set({ revision: String(entry.revision) }, 'push')}
          >
            <div>{text.revision(entry.revision, entry.revision === newest && text.newest)}</div>
            <div className={classes.by}>
              <bdi>{entry.created_by}</bdi>, <Time at={entry.created_at} />
            </div>
          </button>
        </li>
      ))}
      {list.query.hasNextPage && (
        <li>
          <Button variant="subtle" color="gray" onClick={list.loadMore}>
            {text.older}
          </Button>
        </li>
      )}
    </ol>
  );
}

function Against({ against, canCompare }: { against: 'now' | 'previous'; canCompare: boolean }) {
  const url = useUrlState();
  return (
    <Button.Group>
      <Button
        variant={against === 'previous' ? 'filled' : 'default'}
        aria-pressed={against === 'previous'}
        onClick={() => url.set({ against: undefined })}
      >
        {text.whatItChanged}
      </Button>
      <Button
        variant={against === 'now' ? 'filled' : 'default'}
        aria-pressed={against === 'now'}
        disabled={!canCompare}
        onClick={() => url.set({ against: 'now' })}
      >
        {text.comparedWithNow}
      </Button>
    </Button.Group>
  );
}

/** Revisions never change, so they are cached forever. */
function useRevision(subject: string, revision: number | undefined, load: HistoryProps['load']) {
  return useQuery({
    queryKey: ['revision', subject, revision ?? 'nothing'],
    queryFn: ({ signal }) => (revision === undefined ? '' : load(revision, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
