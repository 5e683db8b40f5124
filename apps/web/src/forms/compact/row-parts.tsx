import type { TablerIcon } from '@tabler/icons-react';
import { IconDots, IconPlus } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import buttons from '../buttons.module.css';
import styles from '../form.module.css';
import type { FieldDescription } from '../schema-source.ts';
import { texts } from './texts.tsx';

const text = texts.rows;

/** Description of the text in a cell, which is no field of its own. */
export const TEXT_FIELD: FieldDescription = {
  name: 'text',
  number: 0,
  shape: 'singular',
  value: { kind: 'scalar', type: 'string' },
  required: false,
  deprecated: false,
  disallowed: false,
  sensitive: false,
  common: false,
};

interface RowNotesProps {
  readonly id: string;
  /** The server's messages replace the problems found in the browser. */
  readonly messages: readonly string[];
  readonly problems: readonly { readonly message: string }[];
  readonly hints: readonly string[];
}

/** The row is described by `id`. */
export function RowNotes({ id, messages, problems, hints }: RowNotesProps) {
  const shown = messages.length > 0 ? messages : problems.map(({ message }) => message);
  return (
    <div id={id}>
      {[...new Set(shown)].map((message) => (
        <div key={message} className={styles.problem}>
          {message}
        </div>
      ))}
      {hints.map((hint) => (
        <div key={hint} className={styles.hint}>
          {hint}
        </div>
      ))}
    </div>
  );
}

export function hintOthers(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [text.others(names)];
}

interface ActionButtonProps {
  readonly label: string;
  readonly Icon: TablerIcon;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

export function ActionButton({ label, Icon, disabled = false, onClick }: ActionButtonProps) {
  return (
    <button
      type="button"
      className={buttons.iconButton}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon size={15} aria-hidden />
    </button>
  );
}

interface AddButtonProps {
  readonly label: string;
  readonly onClick: (event: MouseEvent<HTMLButtonElement>) => void;
}

export function AddButton({ label, onClick }: AddButtonProps) {
  return (
    <button type="button" data-add="" className={buttons.addButton} onClick={onClick}>
      <IconPlus size={14} aria-hidden />
      {label}
    </button>
  );
}

interface MoreRowsProps {
  readonly shown: number;
  readonly all: number;
  readonly onClick: () => void;
}

export function MoreRows({ shown, all, onClick }: MoreRowsProps) {
  if (shown >= all) return null;
  return (
    <button type="button" className={buttons.addButton} onClick={onClick}>
      <IconDots size={14} aria-hidden />
      {text.more}
      <span className={styles.quiet}>{text.shown(shown, all)}</span>
    </button>
  );
}
