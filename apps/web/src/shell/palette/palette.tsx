import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProjectIfAny } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { explain } from '../../ui/index.ts';
import { arrange, type Entry, findEntries } from './entries.ts';
import classes from './palette.module.css';

const words = texts.shell.palette;

const SEARCH_GATHER_MS = 80;

/** Ctrl-K: jump to anything that has a name, run any action. */
export function Palette({ onClose }: { onClose: () => void }) {
  const project = useProjectIfAny();
  const can = useCan();
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), SEARCH_GATHER_MS);
  const list = useRef<HTMLDivElement>(null);
  const search = useApi(
    routes.search.find,
    { query: { project: project?.id ?? '', limit: 30, ...(asked && { q: asked.slice(0, 128) }) } },
    { enabled: project !== undefined, keepPrevious: true, topics: ['document', 'policy', 'service', 'client'] },
  );
  const places = findEntries(text, project?.name, can);
  const entries = arrange(search.data?.body.items ?? [], places, { text, project: project?.name });
  const current = Math.min(chosen, Math.max(0, entries.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate({ to: entry.to, params: entry.params, search: entry.search ?? {} });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((current + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') go(entries[current]);
  };

  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12vh" centered={false} transitionProps={{ duration: 0 }}>
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={words.title}>
        <Modal.Body p={0}>
          <input
            data-autofocus
            className={classes.input}
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={entries[current] ? `${listId}-${current}` : undefined}
            aria-label={words.title}
            placeholder={words.whatToType}
            value={text}
            spellCheck={false}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div ref={list} id={listId} role="listbox" aria-label={words.results} className={classes.list}>
            {entries.map((entry, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the input's
              <div
                key={entry.id}
                id={`${listId}-${index}`}
                data-index={index}
                role="option"
                aria-selected={index === current}
                className={classes.option}
                onClick={() => go(entry)}
                onMouseMove={() => setChosen(index)}
              >
                <bdi className={classes.label}>{entry.label}</bdi>
                {entry.detail && <span className={classes.detail}>{entry.detail}</span>}
                <span className={classes.kind}>{entry.kind.replaceAll('_', ' ')}</span>
              </div>
            ))}
            {entries.length === 0 && <div className={classes.option}>{words.nothingFound}</div>}
          </div>
          <div className={classes.foot} role="status">
            {search.isError ? (
              <span>{words.namesFailed(explain(search.error).message)}</span>
            ) : (
              <>
                <span>{words.arrowsChoose}</span>
                <span>{words.enterOpens}</span>
                <span>{words.escCloses}</span>
              </>
            )}
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
