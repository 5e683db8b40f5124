import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call, routes } from '../../../api/index.ts';
import type { Project } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Problem, useSending } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import lines from '../../../ui/rows.module.css';
import { ConflictLine } from './conflict-line.tsx';
import { type Exception, findFitting, isException, readException, toRecords } from './exceptions.ts';
import type { Opened } from './open-step.tsx';

const text = texts.backups.restore;
/** So many at first, and as many more by each press. */
const STEP = 50;
const SEARCH_FROM = 8;

interface ConflictsProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onReplanned: (opened: Opened) => void;
  /** What is shown below does not hold for what is chosen now. */
  readonly onChanged: (isChanged: boolean) => void;
}

/** What is done with each record whose name is taken; another choice makes another plan. */
export function Conflicts({ opened: { plan, body }, project, onReplanned, onChanged }: ConflictsProps) {
  const { conflicts, digest } = plan;
  const sending = useSending();
  const [choices, setChoices] = useState(() => ({ digest, chosen: conflicts.map(readException) }));
  const [search, setSearch] = useState('');
  const { shownMax, firstNew, showMore, showFirst } = useSteps();
  // Another plan: nothing of it is chosen otherwise, and what is looked at stays.
  if (choices.digest !== digest) setChoices({ digest, chosen: conflicts.map(readException) });
  const { chosen } = choices;
  const isChanged = chosen.some((one, i) => isException(one, conflicts[i]));
  const fitting = findFitting(conflicts, search);
  const shown = fitting.slice(0, shownMax);
  const choose = (at: number, to: Partial<Exception>) => {
    const after = chosen.map((one, i) => (i === at ? { ...one, ...to } : one));
    setChoices({ digest, chosen: after });
    onChanged(after.some((one, i) => isException(one, conflicts[i])));
  };
  const replan = (event: FormEvent) => {
    event.preventDefault();
    void sending.send(async () => {
      const anew = { ...body, by_record: toRecords(conflicts, chosen, body) };
      const { body: planned } = await call(routes.backup.plan, { query: { project: project.id }, body: anew });
      onReplanned({ body: anew, plan: planned });
    });
  };
  return (
    <div className={layout.stack}>
      <strong>{text.taken(conflicts.length)}</strong>
      {conflicts.length > SEARCH_FROM && (
        <div className={layout.actions}>
          <TextInput
            size="xs"
            type="search"
            aria-label={text.searchTaken}
            placeholder={text.searchTakenBy}
            value={search}
            onChange={({ currentTarget: { value } }) => {
              setSearch(value);
              showFirst();
            }}
          />
          <span className={layout.note} role="status">
            {text.shownOf(shown.length, fitting.length)}
          </span>
        </div>
      )}
      <form className={layout.stack} onSubmit={replan}>
        <ul className={lines.rows} aria-label={text.taken(conflicts.length)}>
          {shown.map(({ conflict, at }, row) => (
            <ConflictLine
              key={`${conflict.kind} ${conflict.name}`}
              ref={row === shownMax - STEP ? firstNew : undefined}
              conflict={conflict}
              chosen={chosen[at] ?? readException(conflict)}
              onChange={(to) => choose(at, to)}
            />
          ))}
        </ul>
        {fitting.length > shown.length && (
          <div>
            <Button type="button" variant="default" onClick={showMore}>
              {text.showMore(Math.min(STEP, fitting.length - shown.length))}
            </Button>
          </div>
        )}
        {sending.error !== undefined && <Problem error={sending.error} what={text.lookFailed} />}
        {isChanged && (
          <div>
            <Button type="submit" loading={sending.isBusy}>
              {text.lookAgain}
            </Button>
          </div>
        )}
      </form>
    </div>
  );
}

/** How many are shown. Whoever asks for more goes on at the first of them, also where the button for it goes away. */
function useSteps() {
  const [shownMax, setShownMax] = useState(STEP);
  const firstNew = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (shownMax > STEP) firstNew.current?.focus();
  }, [shownMax]);
  return {
    shownMax,
    firstNew,
    showMore: () => setShownMax(shownMax + STEP),
    showFirst: () => setShownMax(STEP),
  };
}
