import type { TrafficLatencyMap } from '@flotilla/contract';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, type KeyboardEvent, memo, type SyntheticEvent, useMemo, useRef, useState } from 'react';
import { useProject } from '../../../app/project.tsx';
import { formatExact } from '../../../ui/index.ts';
import { shadeOf } from '../charts/shade.ts';
import classes from './latency.module.css';
import { formatBound, move, nameClass, type Place, toCellSearch } from './latency-cells.ts';
import { texts } from './texts.ts';

interface LatencyGridProps {
  readonly map: TrafficLatencyMap;
  /** Filters of all requests of the map. */
  readonly filters: Readonly<Record<string, string>>;
  /** Columns that are gaps. */
  readonly lost: ReadonlySet<number>;
  /** Says what the pointer or the keyboard is at. */
  readonly onSay: (text: string | undefined) => void;
}

/** The cells, with the slowest class at the top. One of them is in the order of the Tab key; the arrow keys go to the others. */
export function LatencyGrid({ map, filters, lost, onSay }: LatencyGridProps) {
  const project = useProject();
  const navigate = useNavigate();
  const grid = useRef<HTMLDivElement>(null);
  const size = { columns: map.steps.length, rows: map.classes.length };
  const [current, setCurrent] = useState<Place>({ column: 0, row: 0 });
  const { columns, rows } = size;
  // The same object while nothing changes: the cells are drawn again only then.
  const stop = useMemo(
    () => ({ column: Math.min(current.column, columns - 1), row: Math.min(current.row, rows - 1) }),
    [current, columns, rows],
  );
  const show = (place: Place) => {
    const search = toCellSearch(map, place);
    if (search === undefined) return;
    const params = { project: project.name };
    void navigate({ to: '/p/$project/traffic/events', params, search: { ...filters, ...search } });
  };
  const onKey = (event: KeyboardEvent) => {
    const place = placeOf(event);
    if (place === undefined) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      show(place);
      return;
    }
    const next = move(place, event.key, size);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    grid.current?.querySelector<HTMLElement>(`[data-place="${next.column} ${next.row}"]`)?.focus();
  };
  const onPoint = (event: SyntheticEvent) => onSay(labelAt(event));
  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={-1}
      aria-label={texts.grid}
      className={classes.grid}
      style={{ '--map-columns': size.columns } as CSSProperties}
      onKeyDown={onKey}
      onClick={(event) => {
        const place = placeOf(event);
        if (place !== undefined) show(place);
      }}
      onFocus={onPoint}
      onPointerOver={onPoint}
      onPointerLeave={() => onSay(undefined)}
    >
      <Rows map={map} stop={stop} lost={lost} />
    </div>
  );
}

function placeOf({ target }: SyntheticEvent): Place | undefined {
  const [column, row] = (target as HTMLElement).dataset.place?.split(' ').map(Number) ?? [];
  return column === undefined || row === undefined ? undefined : { column, row };
}

function labelAt(event: SyntheticEvent): string | undefined {
  return placeOf(event) && ((event.target as HTMLElement).getAttribute('aria-label') ?? undefined);
}

interface RowsProps extends Pick<LatencyGridProps, 'map' | 'lost'> {
  readonly stop: Place;
}

/** Up to 1,500 cells: they are not drawn again while the pointer moves. */
const Rows = memo(function Rows({ map, stop, lost }: RowsProps) {
  const most = useMemo(() => mostOf(map), [map]);
  const times = map.steps.map(({ at }) => formatExact(at));
  return map.classes.toReversed().map((one, row) => {
    const name = nameClass(one);
    const index = map.classes.length - 1 - row;
    return (
      <div key={name} role="row" className={classes.row}>
        <div role="rowheader" className={classes.bound} aria-label={name}>
          {formatBound(one.to_ms ?? one.from_ms)}
        </div>
        {map.steps.map(({ at, requests }, column) => {
          const count = requests[index] ?? 0;
          const isStop = column === stop.column && row === stop.row;
          return (
            <div
              key={at}
              role="gridcell"
              tabIndex={isStop ? 0 : -1}
              data-place={`${column} ${row}`}
              aria-label={texts.cell(times[column] ?? '', name, lost.has(column) ? texts.lost : formatCount(count))}
              className={lost.has(column) ? classes.lost : classes.cell}
              style={count > 0 ? ({ '--map-shade': shadeOf(count, most) } as CSSProperties) : undefined}
            />
          );
        })}
      </div>
    );
  });
});

export function mostOf({ steps }: Pick<TrafficLatencyMap, 'steps'>): number {
  return steps.reduce((most, { requests }) => Math.max(most, ...requests), 0);
}

function formatCount(count: number): string {
  return count === 0 ? texts.none : texts.requests(Math.round(count));
}
