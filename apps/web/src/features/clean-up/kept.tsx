import type { CleanedVersion } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, Section, sayDone, Time, useKept } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';

const text = texts.cleanUp.kept;
const SHOWN_MAX = 100;

interface Asked {
  readonly what: 'undo' | 'purge';
  readonly cleaned: CleanedVersion;
}

/** Removed documents that can be restored. */
export function Kept() {
  const project = useProject();
  const [asked, setAsked] = useState<Asked>();
  const found = useApi(
    routes.cleanUp.list,
    { query: { project: project.id, limit: SHOWN_MAX } },
    { topics: ['document'] },
  );
  return (
    <Section title={text.title}>
      <Loaded query={found} what={text.what} skeleton={2}>
        {({ body: { items } }) =>
          items.length === 0 ? (
            <p className={layout.note}>{text.none}</p>
          ) : (
            <ul className={lines.rows} aria-label={text.title}>
              {items.map((cleaned) => (
                <Line key={cleaned.id} cleaned={cleaned} onAsk={(what) => setAsked({ what, cleaned })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Question asked={asked} onClose={() => setAsked(undefined)} />
    </Section>
  );
}

function Line({ cleaned, onAsk }: { cleaned: CleanedVersion; onAsk: (what: Asked['what']) => void }) {
  const can = useCan();
  const { version, total, cleaned_at: at, cleaned_by: by, kept_until: until } = cleaned;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        {text.line(version, total)}, <Time at={at} /> {text.by} <bdi>{by}</bdi>. {text.until} <Time at={until} />
      </span>
      <span className={layout.actions}>
        {can(routes.cleanUp.undo) && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={text.undoLabel(version)}
            onClick={() => onAsk('undo')}
          >
            {text.undo}
          </Button>
        )}
        {can(routes.cleanUp.purge) && (
          <Button
            variant="default"
            size="compact-xs"
            aria-label={text.purgeLabel(version)}
            onClick={() => onAsk('purge')}
          >
            {text.purge}
          </Button>
        )}
      </span>
    </li>
  );
}

function Question({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const shown = useKept(asked);
  const { version = '', total = 0 } = shown?.cleaned ?? {};
  const isUndo = shown?.what !== 'purge';
  return (
    <Confirm
      opened={asked !== undefined}
      title={isUndo ? text.undoTitle(version) : text.purgeTitle}
      action={isUndo ? text.undo : text.purge}
      isDangerous={!isUndo}
      onClose={onClose}
      onConfirm={async () => {
        if (!asked) return;
        const request = { params: { clean_up_id: asked.cleaned.id }, query: { project: project.id } };
        await (asked.what === 'undo' ? call(routes.cleanUp.undo, request) : call(routes.cleanUp.purge, request));
        sayDone(asked.what === 'undo' ? text.undone(total) : text.purged);
        await invalidate(
          queryClient,
          routes.cleanUp.list,
          routes.cleanUp.preview,
          routes.version.list,
          routes.xds.list,
        );
      }}
    >
      {isUndo ? text.undoText(total) : text.purgeText(total)}
    </Confirm>
  );
}
