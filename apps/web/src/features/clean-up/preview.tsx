import type { CleanUpMode, CleanUpPreview } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Confirm, Loaded, Notice, sayDone, toWord } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts;
const NAMES_SHOWN = 20;

/** Lists documents to remove, by collection, and what blocks the removal. */
export function Preview({ version, mode }: { version: string; mode: CleanUpMode }) {
  const project = useProject();
  const found = useApi(
    routes.cleanUp.preview,
    { params: { version }, query: { project: project.id, mode } },
    { topics: ['document', 'service'] },
  );
  return (
    <Loaded query={found} what={text.preview}>
      {({ body }) => <Shown preview={body} />}
    </Loaded>
  );
}

function Shown({ preview }: { preview: CleanUpPreview }) {
  const can = useCan();
  const { counts, names, total, blocked_by: blockers } = preview;
  return (
    <section aria-label={text.preview} className={layout.stack}>
      {total === 0 && <Notice tone="quiet" title={text.nothing} />}
      {blockers.length > 0 && (
        <Notice tone="warn" title={text.blocked}>
          <ul className={layout.names}>
            {blockers.map(({ kind, name, reason }) => (
              <li key={`${kind} ${name} ${reason}`}>{text.blocker(kind, name, reason)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {Object.entries(counts).map(([collection, count]) => {
        const shown = (names[collection] ?? []).slice(0, NAMES_SHOWN);
        return (
          <div key={collection}>
            <strong>{text.counted(toWord(collection), count)}</strong>
            <ul className={layout.names}>
              {shown.map((name) => (
                <li key={name}>
                  <bdi className="mono">{name}</bdi>
                </li>
              ))}
              {count > shown.length && <li>{text.more(count - shown.length)}</li>}
            </ul>
          </div>
        );
      })}
      {total > 0 && blockers.length === 0 && can(routes.cleanUp.run) && <TakeAway preview={preview} />}
    </section>
  );
}

function TakeAway({ preview: { version, mode, digest, total } }: { preview: CleanUpPreview }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const takeAway = async () => {
    try {
      await call(routes.cleanUp.run, { params: { version }, query: { project: project.id, mode, digest } });
      sayDone(text.done(total));
    } finally {
      // Reloads the preview also after a refusal, because the project may have changed.
      void invalidate(queryClient, routes.cleanUp.preview, routes.cleanUp.list, routes.version.list, routes.xds.list);
    }
  };
  return (
    <div>
      <Button color="red.9" onClick={() => setOpen(true)}>
        {text.apply(total)}
      </Button>
      <Confirm
        opened={isOpen}
        title={text.confirm.title(version)}
        action={text.confirm.action}
        isDangerous
        onClose={() => setOpen(false)}
        onConfirm={takeAway}
      >
        {text.confirm.text(total)}
      </Confirm>
    </div>
  );
}
