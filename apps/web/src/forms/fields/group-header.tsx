import { IconChevronRight } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode } from 'react';
import styles from '../form.module.css';
import groups from './groups.module.css';

interface GroupHeaderProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly label: ReactNode;
  readonly summary: string;
  /** Whether the summary is a name or a value of the document. */
  readonly codeSummary?: boolean | undefined;
  readonly muted?: boolean | undefined;
  /** Number of findings in the closed group. */
  readonly problems: number;
  readonly onToggle: () => void;
  readonly onKeyDown?: ((event: KeyboardEvent) => void) | undefined;
  readonly shortcuts?: string | undefined;
  readonly actions?: ReactNode;
}

export function GroupHeader(props: GroupHeaderProps) {
  return (
    <div className={groups.group} data-reveals="">
      <button
        type="button"
        id={props.id}
        className={groups.groupButton}
        data-control=""
        data-muted={props.muted || undefined}
        aria-expanded={props.isOpen}
        aria-keyshortcuts={props.shortcuts}
        onClick={props.onToggle}
        onKeyDown={props.onKeyDown}
      >
        <IconChevronRight size={14} className={groups.chevron} data-open={props.isOpen || undefined} aria-hidden />
        <span className={groups.groupLabel}>{props.label}</span>
        <span className={groups.summary} data-code={props.codeSummary || undefined}>
          {props.summary}
        </span>
        {props.problems > 0 && (
          <span className={groups.problemCount}>
            {props.problems} {props.problems === 1 ? 'problem' : 'problems'}
          </span>
        )}
      </button>
      <div className={styles.actions}>{props.actions}</div>
    </div>
  );
}
