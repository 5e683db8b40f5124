import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty } from '../../../ui/index.ts';
import classes from '../service.module.css';
import { texts } from './texts.tsx';

const ROWS_SHOWN = 100;

/** Returns the rows whose text contains `?match=`, regardless of case, and the first of them (`?rows=`). */
export function useMatchedRows<T>(rows: readonly T[], textOf: (row: T) => string) {
  const url = useUrlState();
  const match = url.get('match') ?? '';
  const wanted = match.trim().toLowerCase();
  const matching = wanted === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted));
  const shown = matching.slice(0, Number(url.get('rows')) || ROWS_SHOWN);
  return { match, matching, shown };
}

interface MatchBarProps {
  readonly label: string;
  /** Says how many rows are shown. */
  readonly status: string;
  readonly children?: ReactNode;
}

/** The search field above a list of Envoy. */
export function MatchBar({ label, status, children }: MatchBarProps) {
  const url = useUrlState();
  return (
    <div className={classes.bar}>
      <TextInput
        size="xs"
        type="search"
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={14} />}
        value={url.get('match') ?? ''}
        onChange={(event) => url.set({ match: event.currentTarget.value || undefined, rows: undefined })}
      />
      {children}
      <span className={classes.side} role="status">
        {status}
      </span>
    </div>
  );
}

/** Below a list: what is left of it, or that nothing matches. */
export function RowsEnd({ match, left, shown }: { match: string; left: number; shown: number }) {
  const url = useUrlState();
  if (shown === 0) return <Empty title={texts.noMatch(match)} />;
  if (left === 0) return null;
  return (
    <div>
      <Button variant="default" onClick={() => url.set({ rows: String(shown + ROWS_SHOWN) })}>
        {texts.more(left)}
      </Button>
    </div>
  );
}
