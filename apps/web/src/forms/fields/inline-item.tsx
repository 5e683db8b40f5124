import { memo } from 'react';
import { InlineRow } from './inline-row.tsx';
import type { RowProps } from './row-props.ts';

/** An item that fits on a line. Enter adds the next one. */
export const InlineItem = memo(
  function InlineItem(props: RowProps & { readonly onEnter: () => void }) {
    return <InlineRow {...props} />;
  },
  (a, b) =>
    a.field === b.field &&
    a.value === b.value &&
    a.at === b.at &&
    a.count === b.count &&
    a.secret === b.secret &&
    a.slot === b.slot,
);
