import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table.module.css';

export function BulkBar({ count, onClear, children }: { count: number; onClear: () => void; children: ReactNode }) {
  return (
    <div className={classes.bar} role="toolbar" aria-label="Selected rows">
      <strong>{count} selected</strong>
      {children}
      <Button variant="subtle" color="gray" onClick={onClear}>
        Unselect
      </Button>
    </div>
  );
}
