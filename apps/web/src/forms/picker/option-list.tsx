import { type Ref, useEffect, useRef } from 'react';
import type { Option } from '../model/search.ts';
import styles from './picker.module.css';
import { texts } from './texts.tsx';

const text = texts.optionList;

/** Maximum number of options: beyond it, typing is faster than scrolling. */
const SHOWN_MAX = 120;

interface OptionListProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly active: number;
  readonly selected?: string | undefined;
  readonly onPick: (option: Option) => void;
  readonly onActive: (index: number) => void;
  readonly ref?: Ref<HTMLDivElement>;
}

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** The list of a combobox; the focus stays in its input. */
export function OptionList({ id, label, options, active, selected, onPick, onActive, ref }: OptionListProps) {
  const activeElement = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever another option becomes the active one
  useEffect(() => {
    activeElement.current?.scrollIntoView({ block: 'nearest' });
  }, [active, options]);
  const shown = options.slice(0, SHOWN_MAX);
  return (
    <div className={styles.list} role="listbox" id={id} aria-label={label} ref={ref} tabIndex={-1}>
      {shown.map((option, index) => (
        <div key={option.id} role="presentation">
          {option.group !== undefined && option.group !== shown[index - 1]?.group && (
            <div className={styles.group} role="presentation">
              {option.group}
            </div>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text that owns the list */}
          <div
            role="option"
            id={optionId(id, index)}
            tabIndex={-1}
            aria-selected={index === active}
            className={styles.option}
            data-active={index === active || undefined}
            data-selected={option.id === selected || undefined}
            ref={index === active ? activeElement : undefined}
            onPointerMove={() => onActive(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(option)}
          >
            <span className={styles.name}>
              <span className={styles.label}>{option.label}</span>
              {option.deprecated && <span className={styles.mark}>{text.deprecated}</span>}
              {option.code !== undefined && option.code !== option.label && (
                <span className={styles.code}>{option.code}</span>
              )}
            </span>
            {option.hint !== undefined && <span className={styles.hint}>{option.hint}</span>}
          </div>
        </div>
      ))}
      {options.length > SHOWN_MAX && <div className={styles.more}>{text.more(options.length - SHOWN_MAX)}</div>}
    </div>
  );
}

/** Returns the new index after arrow keys, Home, End and paging; undefined for every other key. */
export function moveActive(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  const last = Math.min(count, SHOWN_MAX) - 1;
  switch (key) {
    case 'ArrowDown':
      return active >= last ? 0 : active + 1;
    case 'ArrowUp':
      return active <= 0 ? last : active - 1;
    case 'PageDown':
      return Math.min(last, active + 8);
    case 'PageUp':
      return Math.max(0, active - 8);
    default:
      return undefined;
  }
}
