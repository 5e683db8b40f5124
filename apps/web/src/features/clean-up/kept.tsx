import type { CleanedVersion } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Confirm, Loaded, Section, Time, useKept, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';

const text = texts.kept;
const SHOWN_MAX = 100;

interface Asked {
  readonly what: 'undo' | 'purge';
  readonly cleaned: CleanedVersion;
}

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
  const write = useWrite();
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
        const stale = [routes.cleanUp.list, routes.cleanUp.preview, routes.version.list, routes.xds.list];
        if (asked.what === 'undo') await write(routes.cleanUp.undo, request, { done: text.undone(total), stale });
        else await write(routes.cleanUp.purge, request, { done: text.purged, stale });
      }}
    >
      {isUndo ? text.undoText(total) : text.purgeText(total)}
    </Confirm>
  );
}
