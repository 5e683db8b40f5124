import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts.tsx';
import classes from './table.module.css';

const text = texts.bulkBar;

export function BulkBar({ count, onClear, children }: { count: number; onClear: () => void; children: ReactNode }) {
  return (
    <div className={classes.bar} role="toolbar" aria-label={text.title}>
      <strong>{text.selected(count)}</strong>
      {children}
      <Button variant="subtle" color="gray" onClick={onClear}>
        {text.unselect}
      </Button>
    </div>
  );
}
