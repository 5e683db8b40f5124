import { useEffect, useState, useSyncExternalStore } from 'react';
import { CompactView } from '../compact/compact-view.tsx';
import { useForm, useIsOpen } from '../form-context.ts';
import { isList, type Json } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { summarize } from '../model/summary.ts';
import { CollectionGroup } from './collection-group.tsx';
import { ListItems, type ShownItems } from './list-items.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { useRow } from './use-row.ts';

const words = texts.listRow;

const NO_ITEMS: readonly Json[] = [];
/** Number of items that a list renders at once. */
const SHOWN_STEP = 100;

/** Renders a list: a header with the count, and the items. */
export function ListRow(props: RowProps) {
  const { value, at, compact } = props;
  const isOpen = useIsOpen(at);
  const row = useRow(props);
  const shown = useShownItems(at);
  const items = isList(value) ? value : NO_ITEMS;
  const isEmpty = items.length === 0;
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
  const body = <ListItems props={props} items={items} secret={row.secret} shown={shown} />;
  return (
    <CollectionGroup
      props={props}
      row={row}
      isOpen={isOpen}
      isEmpty={isEmpty}
      summary={isEmpty ? words.none : isOpen || row.secret ? count : summarize(items)}
      codeSummary={!isOpen && !row.secret && !isEmpty}
    >
      {compact && !row.secret ? (
        <CompactView editor={compact} value={value} at={at} label={props.label ?? toLabel(props.field.name)}>
          {body}
        </CompactView>
      ) : (
        body
      )}
    </CollectionGroup>
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the rendered items, which grow on request and include the item to focus. */
function useShownItems(at: string): ShownItems {
  const { state } = useForm();
  const [range, setRange] = useState<Range>({ from: 0, to: SHOWN_STEP });
  const wanted = useSyncExternalStore(state.subscribe, () => state.focusIndex(at));
  useEffect(() => {
    if (wanted !== undefined && (wanted < range.from || wanted >= range.to)) setRange(rangeAround(wanted, range));
  }, [wanted, range]);
  const { from, to } = range;
  return {
    from,
    to,
    showBefore: () => setRange({ from: Math.max(0, from - SHOWN_STEP), to }),
    showMore: () => setRange({ from, to: to + SHOWN_STEP }),
  };
}

/** Extends the range to a near index, or moves it to a distant one. */
function rangeAround(index: number, { from, to }: Range): Range {
  if (index >= to && index < to + SHOWN_STEP) return { from, to: to + SHOWN_STEP };
  const start = Math.max(0, index - SHOWN_STEP / 2);
  return { from: start, to: start + SHOWN_STEP };
}
