import { useEffect, useRef } from 'react';
import { texts } from '../texts.tsx';
import type { Starter } from './answers.ts';
import classes from './starters.module.css';

const text = texts.starters;

/** In place of the id of a starter: a document without content. */
export const EMPTY_STARTER = 'empty';

interface StarterCardsProps {
  readonly starters: readonly Starter[];
  /** The card that takes the focus: the user returned from it. */
  readonly focused: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Templates of a new document as cards. The last one is no template. */
export function StarterCards({ starters, focused, onChoose }: StarterCardsProps) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the cards appear
  useEffect(() => {
    if (focused !== undefined)
      list.current?.querySelector<HTMLElement>(`[data-starter="${CSS.escape(focused)}"]`)?.focus();
  }, []);
  const cards = [...starters, { id: EMPTY_STARTER, title: text.empty, description: text.emptyPurpose }];
  return (
    <section aria-label={text.title}>
      <h2 className={classes.title}>{text.title}</h2>
      <ul ref={list} className={classes.cards}>
        {cards.map(({ id, title, description }) => (
          <li key={id}>
            <button type="button" className={classes.card} data-starter={id} onClick={() => onChoose(id)}>
              <strong>{title}</strong>
              <span>{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
