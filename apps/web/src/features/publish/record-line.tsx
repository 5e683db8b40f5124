import { useState } from 'react';
import { useClientNames } from '../../app/use-client-names.ts';
import { commentClients, nameClients, type RecordChange, RecordChanges } from '../../changes/index.ts';
import classes from './publish.module.css';
import type { PublishRecord } from './publish-records.ts';
import { texts } from './texts.tsx';

const text = texts.review;
const WORDS = {
  created: text.created,
  changed: text.changed,
  unchanged: text.unchangedWord,
  deleted: text.deleted,
} as const;

/** One record that a request writes or deletes, with its differences. */
export function RecordLine({ name, outcome, change }: PublishRecord) {
  const nameOf = useClientNames();
  const [wasOpened, setOpened] = useState(false);
  const { diff } = change;
  return (
    <li className={classes.record}>
      <span>{WORDS[outcome]}</span>
      <div className={classes.name}>
        <bdi className="mono">{name}</bdi>
        {diff.length > 0 && (
          <details className={classes.more} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
            <summary>{outcome === 'created' ? text.content : text.details(diff.length)}</summary>
            {wasOpened && (
              <div className={classes.moreBody}>
                <RecordChanges change={withNames(change, nameOf)} />
              </div>
            )}
          </details>
        )}
      </div>
    </li>
  );
}

function withNames({ diff, text: shown }: RecordChange, nameOf: (clientId: string) => string): RecordChange {
  return {
    diff: nameClients(diff, nameOf),
    text: shown && {
      ...shown,
      before: commentClients(shown.before, nameOf),
      after: commentClients(shown.after, nameOf),
    },
  };
}
